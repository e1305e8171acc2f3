#!/usr/bin/env python3
"""Prints how long a file takes with a second pass, beside other recognizers with the same weights: one after another in each round.

  speed.py [--second-pass MODEL] [--rounds N] [--minutes N] [--command NAME=COMMAND]…

The sound is what a volunteer of LibriVox reads (Debian's pocketsphinx-testdata), five sentences again and again until it is long enough,
each with a pause after it. A figure is the time of a whole run in seconds, with the loading of the model. Each program has two threads
for a model: `utter` by itself, faster-whisper by whisper_lines.py, another as its command says.

  --second-pass MODEL   the model of the second pass; the one that Scripts/setup makes unless given
  --rounds N            3 unless given
  --minutes N           of sound; 2 unless given
  --command NAME=…      another command with {file} in it, for example "whisper.cpp=whisper-cli -t 2 -m ggml-tiny.en.bin {file}"
"""
import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import memos
import quality
import table


def sound(minutes, folder):
    """A recording of at least so many minutes."""
    sentences = quality.from_table(quality.ROOT / "Benchmarks/librivox.tsv", quality.LIBRIVOX)
    once = memos.joined(sentences, "once", folder).path
    seconds = float(subprocess.run(["soxi", "-D", once], check=True, capture_output=True, text=True).stdout)
    memos.sox(once, f"{folder}/long.wav", "repeat", str(int(minutes * 60 / seconds)))
    return f"{folder}/long.wav"


def timed(command, path):
    start = time.monotonic()
    quality.output([part.replace("{files}", path).replace("{file}", path) for part in command])
    return time.monotonic() - start


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--second-pass", type=Path, default=quality.MODEL)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--command", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="utter-speed.") as folder:
        path = sound(options.minutes, folder)
        commands = [(name, command) for name, command in quality.commands(options) if name != "libtranscribe"]
        seconds = {name: [] for name, _ in commands}
        for _ in range(options.rounds):
            for name, command in commands:
                seconds[name].append(timed(command, path))
        table.line(f"{options.minutes:g} minutes of sound", "Seconds", "× of utter's second pass", "Rounds")
        table.line(*["---"] * 4)
        for name, found in seconds.items():
            ratio = table.ratio(found, seconds["utter, second pass"])
            table.line(name, table.figure(found, digits=1), f"{ratio:.2f}", str(options.rounds))


if __name__ == "__main__":
    main()
