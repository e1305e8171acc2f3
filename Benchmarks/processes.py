"""What a process and all that it has started use."""
import os
import threading
from pathlib import Path


def tree(process):
    """A process and its descendants, as far as they are still there."""
    found = [process]
    for one in found:
        for path in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, read(path).split())
    return found


def read(path):
    """What a file of a process says; nothing once that has ended."""
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return ""


def memory(process):
    """The memory of all, in MB; what several share counts once (PSS)."""
    lines = "".join(read(f"/proc/{one}/smaps_rollup") for one in tree(process)).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def processor(process):
    """The seconds that all have computed, and those that have ended and were waited for: fields 14 to 17 of proc(5)'s stat."""
    fields = [read(f"/proc/{one}/stat").rpartition(")")[2].split() for one in tree(process)]
    return sum(sum(map(int, field[11:15])) for field in fields if field) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Looks again and again at the memory of a process that has just been started."""

    def __init__(self, process, interval=0.05):
        self.peak, self.end = 0.0, threading.Event()
        self.thread = threading.Thread(target=self.look, args=[process, interval])
        self.thread.start()

    def look(self, process, interval):
        while not self.end.wait(interval):
            self.peak = max(self.peak, memory(process))

    def finish(self):
        """The most that it had, with all that it started, in MB. Called when it has ended."""
        self.end.set()
        self.thread.join()
        return self.peak
