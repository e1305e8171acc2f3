#!/usr/bin/env python3
"""Measures the CPU time of the commands that answer at once, when nothing has to be loaded.

A part of Benchmarks/bench.py, which `make bench` runs: user and system time. The home folder is empty; the catalog is the one that
comes with utter. The doctor has no model to load, and listens to a device
that gives a recording.

  BENCH_QUICK_ROUNDS=21  runs that count
  UTTER_BINARY=PATH      the program; .build/release/utter unless given
"""

import os
import resource
import subprocess
import tempfile

import table
from table import ROOT

UTTER = os.environ.get("UTTER_BINARY") or str(ROOT / ".build/release/utter")
ROUNDS = int(os.environ.get("BENCH_QUICK_ROUNDS", "21"))
COMMANDS = [
    "--version", "help", "models list", "models list --json", "models info en-us", "models list de", "config", "devices", "doctor"]


def milliseconds(command, home):
    environment = {
        "PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8", "UTTER_MODEL": "none",
        "UTTER_DEVICE": f"samples:{ROOT}/AudioFixtures/memo.wav", "ALSA_CONFIG_PATH": str(ROOT / "Tests/TestEnvironment/Devices/asound.conf")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # The doctor finds a model missing, and says so with its exit code too.
    subprocess.run([UTTER, *command.split()], env=environment, stdout=subprocess.DEVNULL, check=command != "doctor")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure_all():
    with tempfile.TemporaryDirectory() as home:
        for command in COMMANDS:
            milliseconds(command, home)
            table.row(f"`utter {command}`, CPU", [milliseconds(command, home) for _ in range(ROUNDS)], "ms", 1)


if __name__ == "__main__":
    table.head()
    measure_all()
