#!/usr/bin/env python3
"""Prints how well and how fast natural speech is written, beside others with the same weights in the same run.

  natural.py [MODE]… [--utter PROGRAM] [--rounds N] [--minutes N] [--way NAME]… [--details] [NAME…] [-- OPTION…]

Modes; --files unless one is given:

  --files    the recordings, see natural_sound.py, or those of the given NAMEs: wrong words, lost words (with nothing in their place),
             words and marks that are not as written, and lines. Then the seconds of a whole process (medians of the rounds,
             in turn) for all of them in one file, and the memory of all its processes together (PSS)
  --levels   five sentences, ever more quiet: words that are wrong and words that are lost
  --mixes    mixes of sentences with other pauses, and of a speaker who hesitates
  --times    how far lines begin from where the sentences of the mixes do, and the order of the lines of two channels
  --jobs     as long a file as --minutes says, with -j 1 and -j 2, and the same in six files: seconds, memory, and whether all is the same

  --utter PROGRAM   UTTER_BINARY, or .build/release/utter, unless given
  --rounds N        3 unless given; 0 leaves seconds and memory out
  --minutes N       60 unless given
  --way NAME        only this one of utter, faster-whisper, faster-whisper-int8, batched, batched-int8, windows, timed, whole
  --details         what each wrote where it erred
  -- OPTION…        options for utter transcribe

What an error is, is said in scoring.py; what the ways are, in natural_references.py. The rules of utter's first pass are as they come.
UTTER_MODEL and UTTER_SECOND_PASS are the models that Scripts/setup makes unless given.
"""
import argparse
import concurrent.futures
import difflib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import natural_sound
import processes
import quality
import scoring
import silero_to_gguf
import table

WAYS = ["utter", "faster-whisper", "faster-whisper-int8", "batched", "batched-int8", "windows", "timed", "whole"]
os.environ.setdefault("UTTER_SECOND_PASS", str(quality.MODEL))
# Nor what the user has configured.
os.environ["XDG_CONFIG_HOME"] = "/nonexistent"


class Line(NamedTuple):
    start: float
    end: float
    text: str
    channel: int = 1


class Sum(NamedTuple):
    spoken: scoring.Errors = scoring.Errors()
    written: scoring.Errors = scoring.Errors()
    lines: int = 0

    def __add__(self, other):
        return Sum(*(one + two for one, two in zip(self, other)))

    def cells(self):
        return [str(self.spoken.words), f"{self.spoken.rate:.1f} %", str(self.spoken.deletions), f"{self.written.rate:.1f} %", str(self.lines)]


# --- Who hears -------------------------------------------------------------------------------------------------------------------

def detector():
    """Silero's weights for libtranscribe; they are made where they are not there."""
    path = natural_sound.FOLDER / "silero-vad.gguf"
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([natural_sound.python(), "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps", "--dest", folder,
                            "silero-vad==6.2.3"], check=True)
            silero_to_gguf.main(next(Path(folder).iterdir()), path)
    return str(path)


def command(way, options, *extra):
    if way == "utter":
        return [options.utter, "transcribe", "-q", "-f", "jsonl", *options.passed, *extra]
    return [natural_sound.python(), "-B", str(table.ROOT / "Benchmarks/natural_references.py"), way, str(quality.MODEL), detector()]


def lines(output):
    """The lines of each file, from the events of utter or what natural_references.py writes."""
    found = {}
    for event in map(json.loads, output.splitlines()):
        if event.get("type", "segment") == "segment" and event["text"].strip():
            line = Line(event["start"], event["end"], event["text"].strip(), int(event.get("channel") or 1))
            found.setdefault(event["file"], []).append(line)
    return found


known = {}


def heard(way, options, paths, *extra):
    """The lines of each file; what another mode has asked for is not heard again."""
    missing = [path for path in paths if (way, path, extra) not in known]
    if missing:
        found = lines(quality.output([*command(way, options, *extra), *missing]))
        known.update({(way, path, extra): found.get(path, []) for path in missing})
    return [known[way, path, extra] for path in paths]


def judged(recording, found):
    text = " ".join(line.text for line in found)
    return Sum(scoring.spoken_errors(recording.said, text), scoring.written_errors(recording.written, text), len(found))


def all_judged(recordings, founds):
    """On all cores, since long texts take their time."""
    with concurrent.futures.ProcessPoolExecutor() as pool:
        return list(pool.map(judged, recordings, founds))


def circumstances(utter):
    """What it was measured with, and how busy the machine was with other work."""
    version = subprocess.run([utter, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    one, five, _ = os.getloadavg()
    table.say(f"{time.strftime('%Y-%m-%d %H:%M')} · {version} · {len(os.sched_getaffinity(0))} cores, load {one:.1f}, of five minutes {five:.1f}\n")


# --- The modes -------------------------------------------------------------------------------------------------------------------

def texts(what, recordings, options):
    """A row for each recording and way, and their sums."""
    table.line(what, "Who heard it", "Words", "Wrong", "Lost", "Wrong as written", "Lines")
    table.line(*["---"] * 7)
    found = {way: heard(way, options, [recording.path for recording in recordings]) for way in options.way}
    scores = {way: all_judged(recordings, found[way]) for way in options.way}
    for number, recording in enumerate(recordings):
        for way in options.way:
            here = scores[way][number]
            table.line(recording.name, way, *here.cells())
            if options.details and here.written.total:
                print("\n".join(f"    {line.start:7.2f} {line.text}" for line in found[way][number]))
    for way in options.way:
        table.line("all", way, *sum(scores[way], Sum()).cells())
    table.say("")


def joined(recordings, path, times=1):
    """All of them one after another, and that so many times."""
    natural_sound.sox(*[recording.path for recording in recordings], path, *(["repeat", str(times - 1)] if times > 1 else []))
    return str(path)


def run(arguments, watched=False):
    """The seconds of a process, its output, and its memory in MB where that is watched, which takes some of its time."""
    start = time.monotonic()
    child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    watch = processes.Watch(child.pid) if watched else None
    output, _ = child.communicate()
    seconds = time.monotonic() - start
    if child.returncode:
        sys.exit(f"natural: {arguments[:3]} … ended with {child.returncode}")
    return seconds, output, watch.finish() if watch else None


def costs(recordings, options, folder):
    path = joined(recordings, folder / "all.wav", 2)
    length = natural_sound.seconds(path)
    table.line(f"{length:.0f} s in one file", "Seconds", "Seconds beside utter's", "MB", "Rounds")
    table.line(*["---"] * 5)
    memory = {way: run([*command(way, options), path], True)[2] for way in options.way}
    seconds = {way: [] for way in options.way}
    for _ in range(options.rounds):
        for way in options.way:
            seconds[way].append(run([*command(way, options), path])[0])
    first = seconds[options.way[0]]
    for way, found in seconds.items():
        table.line(way, table.figure(found, digits=1), f"{table.ratio(found, first):.2f}", f"{memory[way]:.0f}", str(options.rounds))
    table.say("")


def files(options, folder):
    recordings = [one for one in natural_sound.recordings() if not options.names or one.name in options.names]
    texts("Natural speech", recordings, options)
    if options.rounds:
        costs(recordings, options, folder)


def levels(options, _):
    recordings = natural_sound.levels()
    table.line("Wrong words, and lost ones", *(f"{-level} dB" for level in natural_sound.LEVELS))
    table.line(*["---"] * (1 + len(recordings)))
    for way in options.way:
        found = [one.spoken for one in all_judged(recordings, heard(way, options, [one.path for one in recordings]))]
        table.line(f"{way}, of {found[0].words}", *(f"{errors.total}, {errors.deletions}" for errors in found))
    table.say("")


def mixes(options, _):
    texts("Mixes", natural_sound.mixes(), options)


def words(text):
    """The words of a text, a number in one of its readings."""
    return [word for readings in scoring.slots(text) for word in readings[0]]


def begun(recording, found):
    """For each sentence the line that begins with its first or second word, or None; by an alignment of all words."""
    said, firsts = [], {}
    for number, sentence in enumerate(recording.sentences):
        firsts[len(said)] = firsts[len(said) + 1] = number
        said += words(sentence.written)
    wrote, begins = [], {}
    for line in found:
        begins[len(wrote)] = line
        wrote += words(line.text)
    lines_of = [None] * len(recording.sentences)
    for block in difflib.SequenceMatcher(None, said, wrote, autojunk=False).get_matching_blocks():
        for place in range(block.size):
            if block.a + place in firsts and block.b + place in begins:
                lines_of[firsts[block.a + place]] = begins[block.b + place]
    return lines_of


def spread(values):
    if not values:
        return [table.NOTHING] * 3
    ordered = sorted(values)
    return [f"{value:.2f} s" for value in (statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1])]


def times(options, _):
    recordings = [one for one in natural_sound.mixes() if one.name != "no-pauses"]
    table.line("Times of lines", "Sentences that begin a line", "Start off by, median", "95 of 100", "Worst", "End off by, median", "95 of 100",
               "Worst", "Out of order")
    table.line(*["---"] * 9)
    for way in options.way:
        starts, ends, disorder = [], [], 0
        for recording, found in zip(recordings, heard(way, options, [one.path for one in recordings])):
            chosen = begun(recording, found)
            disorder += sum(two.start < one.start for one, two in zip(found, found[1:]))
            for number, (sentence, line) in enumerate(zip(recording.sentences, chosen)):
                if line:
                    starts.append(abs(line.start - sentence.start))
                    # The line that ends with the sentence is the last before the next sentence's.
                    following = chosen[number + 1] if number + 1 < len(chosen) else None
                    last = found[found.index(following) - 1] if following else found[-1]
                    if following or number + 1 == len(chosen):
                        ends.append(abs(last.end - sentence.end))
        table.line(way, f"{len(starts)} of {sum(len(one.sentences) for one in recordings)}", *spread(starts), *spread(ends), str(disorder))
    table.say("")
    channels(options)


def channels(options):
    """The two channels of the dialogue, each on its own."""
    dialogue = natural_sound.dialogue(natural_sound.FOLDER / "mixes", natural_sound.read_sentences())
    found = heard("utter", options, [dialogue.path], "--split-channels")[0]
    starts = []
    for channel in (1, 2):
        part = dialogue._replace(sentences=[sentence for sentence in dialogue.sentences if sentence.channel == channel])
        chosen = begun(part, [line for line in found if line.channel == channel])
        starts += [abs(line.start - sentence.start) for line, sentence in zip(chosen, part.sentences) if line]
    turns = [number for number, line in enumerate(found) if not number or line.channel != found[number - 1].channel]
    wanted = [number for number, one in enumerate(dialogue.sentences) if not number or one.channel != dialogue.sentences[number - 1].channel]
    table.line("utter --split-channels", "Sentences that begin a line", "Start off by, median", "95 of 100", "Worst", "Wrong words", "Turns")
    table.line(*["---"] * 7)
    table.line("dialogue", f"{len(starts)} of {len(dialogue.sentences)}", *spread(starts), f"{judged(dialogue, found).spoken.rate:.1f} %",
               f"{len(turns)} for {len(wanted)}")
    if options.details:
        print("\n".join(f"    {line.start:7.2f} {line.channel} {line.text}" for line in found))
        print("\n".join(f"    {one.start:7.2f} {one.channel} {one.written}" for one in dialogue.sentences))
    table.say("")


def jobs(options, folder):
    """A long file, and its six parts, each with one job and with two."""
    recordings = [*natural_sound.recordings(), *natural_sound.mixes()]
    length = options.minutes * 60
    times = 1 + int(length / sum(natural_sound.seconds(one.path) for one in recordings))
    whole = str(folder / "long.wav")
    natural_sound.sox(joined(recordings, folder / "longer.wav", times), whole, "trim", 0, length)
    parts = []
    for number in range(6):
        parts.append(str(folder / f"part-{number}.wav"))
        natural_sound.sox(whole, parts[-1], "trim", number * length / 6, length / 6)
    table.line(f"{length / 60:.0f} minutes", "-j 1", "-j 2", "MB", "MB", "Output")
    table.line(*["---"] * 6)
    for what, paths in {"one file": [whole], "six files": parts}.items():
        runs = [run([*command("utter", options, "-j", count), *paths], True) for count in "12"]
        table.line(what, *(f"{seconds:.1f} s" for seconds, _, _ in runs), *(f"{memory:.0f}" for _, _, memory in runs),
                   "the same" if runs[0][1] == runs[1][1] else "another")
    table.say("")


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    given = sys.argv[1:]
    passed = given[given.index("--") + 1:] if "--" in given else []
    modes = {"files": files, "levels": levels, "mixes": mixes, "times": times, "jobs": jobs}
    parser = argparse.ArgumentParser(add_help=False)
    for mode in modes:
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("--utter", default=quality.UTTER)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--details", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(given[:given.index("--")] if "--" in given else given)
    options.passed, options.way = passed, options.way or WAYS
    circumstances(options.utter)
    with tempfile.TemporaryDirectory(prefix="utter-natural.") as folder:
        for mode in [mode for mode in modes if getattr(options, mode)] or ["files"]:
            modes[mode](options, Path(folder))


if __name__ == "__main__":
    main()
