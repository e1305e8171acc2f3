#!/usr/bin/env python3
"""Hours of sound through the live path, faster than they pass, and many sessions in one process: what is more at the end?

Run by `make soak`; takes a quarter of an hour for each. Prints rows of the benchmarks' table: resident memory, descriptors and
threads, late beside early.

  hours     utter listen hears the memo again and again, with pauses, through ALSA and all that follows. Its device is a pipe that
            is filled no further than the results allow, so that the recognizer sets the pace. Early is after a tenth, late near the
            end. That no sample is lost, and every word of every repetition there, is checked.
  sessions  SpeechTests' own, which end at random moments in every way; early is after the tenth. It wants the tests built.

  SOAK_HOURS=8         how much sound; 0 leaves it out
  SOAK_SESSIONS=10000  how many sessions; 0 leaves them out
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import table
from table import ROOT

HOURS = float(os.environ.get("SOAK_HOURS", "8"))
SESSIONS = int(os.environ.get("SOAK_SESSIONS", "10000"))
UTTER = str(ROOT / ".build/release/utter")
MODEL = str(ROOT / "Models/vosk-model-tiny-en")
RATE = 48000
PAUSE = 2
# How far the pipe may run ahead of the results, in seconds: less than what listen keeps for a slow recognizer.
AHEAD = 40
# A pipe takes so much at once or nothing, and it is a whole number of the device's periods, so no read is cut short.
PIECE = RATE // 100 * 2 * 4


class Listening:
    def __init__(self, folder):
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        raw = folder / "memo.raw"
        subprocess.run(["sox", "-D", "-R", ROOT / "AudioFixtures/memo.wav", "-t", "raw", "-e", "signed-integer", "-b", "16", "-r",
                        str(RATE), "-c", "1", raw, "pad", "0", str(PAUSE)], check=True)
        memo = raw.read_bytes()
        self.memo = memo + bytes(-len(memo) % PIECE)
        self.duration = len(self.memo) / 2 / RATE
        self.repetitions = round(HOURS * 3600 / self.duration)
        self.heard = 0.0
        self.moved = threading.Condition()
        self.child = subprocess.Popen(
            [UTTER, "listen", "--format", "jsonl", "--model", MODEL, "--device", f"samples:'{self.pipe}'", "--for",
             str(self.duration * self.repetitions)], stdout=subprocess.PIPE, text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8",
                 "ALSA_CONFIG_PATH": str(ROOT / "Tests/TestEnvironment/Devices/asound.conf")})

    def fill(self):
        """Writes the sound, and stays until nobody reads any more."""
        written = 0
        try:
            with open(self.pipe, "wb", buffering=0) as pipe:
                while True:
                    for start in range(0, len(self.memo), PIECE):
                        with self.moved:
                            self.moved.wait_for(lambda: written / 2 / RATE < self.heard + AHEAD)
                        written += pipe.write(self.memo[start:start + PIECE])
        except BrokenPipeError:
            pass

    def figures(self):
        process = Path(f"/proc/{self.child.pid}")
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return [int(status["VmRSS"].split()[0]) * 1024 / 1e6, len(list((process / "fd").iterdir())), int(status["Threads"])]

    def run(self):
        threading.Thread(target=self.fill, daemon=True).start()
        early = late = end = None
        words = collections.Counter()
        total = self.duration * self.repetitions
        start = time.monotonic()
        for line in self.child.stdout:
            event = json.loads(line)
            if event["type"] in ("volatile", "final"):
                with self.moved:
                    self.heard = max(self.heard, event["end"])
                    self.moved.notify()
                if event["type"] == "final":
                    # What was said after the pause belongs to the next repetition.
                    words[int(event["start"] / self.duration)] += len(event["text"].split())
                if early is None and self.heard > total / 10:
                    early = self.figures()
                    print(f"soak: {self.heard / 3600:.2f} h: {early}", file=sys.stderr)
                if self.heard > total * 0.95 and late is None:
                    late = self.figures()
                    print(f"soak: {self.heard / 3600:.2f} h: {late}", file=sys.stderr)
            elif event["type"] == "end":
                end = event
        speed = total / (time.monotonic() - start)
        if self.child.wait() != 0 or end is None:
            sys.exit(f"soak: listen ended with {self.child.returncode}")
        if end["dropped"] or end["missing"] or end["captured"] != round(total * 16000) or end["delivered"] != end["captured"]:
            sys.exit(f"soak: sound was lost: {end}")
        counts = sorted(set(words.values()))
        return early, late, f"{self.repetitions} times {'–'.join(map(str, counts[:1] + counts[1:][-1:]))} words, {speed:.0f} × real time"


def sessions():
    """Early and late figures of sessions on one model, and of sessions on ever new ones."""
    found = subprocess.run(
        ["swift", "test", "--skip-build", "--filter", "SpeechTests.SoakTests/leaveNothing"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "UTTER_SESSIONS": str(SESSIONS)})
    if found.returncode != 0:
        sys.exit("soak: the sessions left something behind, or could not be run:\n" + "\n".join(found.stdout.splitlines()[-20:]))
    # Which of the two was done first shows in how many models it took.
    runs = re.findall(
        r"after the 10th: (.*)\nafter the \d+th: (.*)\n.*modelsEver: (\d+)", found.stdout)
    return [[parsed(early), parsed(late)] for early, late, _ in sorted(runs, key=lambda run: int(run[2]))]


def parsed(text):
    threads, descriptors, memory = map(int, re.findall(r"\d+", text))
    return [memory * 1024 / 1e6, descriptors, threads]


def rows(what, early, late):
    for name, unit, digits, before, after in zip(
            ("resident memory", "descriptors", "threads"), ("MB", "", ""), (1, 0, 0), early, late):
        table.row(f"{what}, {name}", [after], unit, digits, "early", [before])


def measure_all():
    if HOURS > 0:
        with tempfile.TemporaryDirectory(prefix="utter-soak.") as folder:
            early, late, said = Listening(Path(folder)).run()
        rows(f"{HOURS:g} hours of listening ({said})", early, late)
    if SESSIONS > 0:
        for kind, (early, late) in zip(("on one model", "on ever new models"), sessions()):
            rows(f"{SESSIONS:,} sessions {kind}", early, late)


if __name__ == "__main__":
    table.head()
    measure_all()
