#!/usr/bin/env python3
"""Measures the CPU time of the commands that answer at once, when nothing has to be loaded.

Run by `make bench`. Prints one Markdown table: user and system time in milliseconds, the median of the runs that count and, in
brackets, the least and the most. The home folder is empty; the catalog is the one that comes with utter.

  BENCH_ROUNDS=21  runs that count
"""

import os
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UTTER = os.environ.get("UTTER", str(ROOT / ".build/release/utter"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "21"))
COMMANDS = ["--version", "help", "models list", "models list --json", "models info en-us", "models list de", "config", "devices"]


def milliseconds(command, home):
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([UTTER, *command.split()], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    print("| Command | CPU ms |\n| --- | --- |")
    with tempfile.TemporaryDirectory() as home:
        for command in COMMANDS:
            milliseconds(command, home)
            times = [milliseconds(command, home) for _ in range(ROUNDS)]
            print(f"| utter {command} | {statistics.median(times):.1f} ({min(times):.1f}–{max(times):.1f}) |")


main()
