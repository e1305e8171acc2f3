#!/usr/bin/env python3
"""Plays recordings in real time into a microphone made of PulseAudio that `utter listen` hears, and prints how soon the words stand right.

  natural_live.py [--utter PROGRAM] [--busy N] [--quiet SECONDS] [--events FOLDER] [NAME…] [-- OPTION…]

NAMEs are of recordings and mixes, see natural_sound.py; all recordings unless given. OPTIONs are for utter listen.

  right after    from the end of a word until it stands right on the screen, in a final result or in the guess, and stays
  never          words that are not right in the end
  taken back     words on the screen that become others
  whole          finals that end with a sentence's mark, or where the speaker pauses for at least a second
  text, final    from the end of speech (before each such pause) until what was said stands as right as it will, where its last word is
                 right in the end; and until the last of it is in a final result
  speech, quiet  processor time of all processes of utter in % of a core, while it is spoken and before
  --busy N       so many programs that compute beside it
  --quiet N      seconds of silence before it is spoken, over which the processor time is taken; 5 unless given
  --events F     keep what utter said in F/NAME.jsonl, with the seconds since the recording began
"""
import argparse
import difflib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import live
import natural
import natural_sound
import processes
import quality
import scoring
import table

MARK = re.compile(r"[.?!…][\"'”’)]*$")
PAUSE = 1.0
AFTER = 8  # seconds that are waited for the last final


class Word(NamedTuple):
    text: str
    start: float
    end: float


class Heard(NamedTuple):
    """What utter said, each event with the seconds since the recording began, and the processor time in % of a core."""
    events: list
    speaking: float
    quiet: float


# --- What is said when -----------------------------------------------------------------------------------------------------------

def spoken_words(recordings):
    """The words of each recording as they are compared; the table of them is made once, in words.tsv beside the recordings."""
    path = natural_sound.FOLDER / "words.tsv"
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    there = {line.split("\t")[0] for line in known.splitlines()}
    missing = [(one.name, one.path, one.said) for one in recordings if one.name not in there]
    if missing:
        natural_sound.say(f"finding the times of words in {', '.join(name for name, _, _ in missing)}")
        command = [natural_sound.python(), "-B", str(table.ROOT / "Benchmarks/natural_words.py")]
        known += subprocess.run(command, input=json.dumps(missing), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        path.write_text(known, encoding="utf-8")
    found = {}
    for line in known.splitlines():
        name, text, start, end = line.split("\t")
        found.setdefault(name, []).extend(Word(word, float(start), float(end)) for word in natural.words(text))
    return {one.name: beside_pauses(found[one.name], pauses(one.path)) for one in recordings}


def pauses(path):
    """From where to where it is quiet for a second or more, by the loudness that live.py goes by."""
    sound = natural_sound.samples(path)
    loud = [place / 100 for place in natural_sound.loud_places(sound)]
    return [(one + 0.01, two) for one, two in zip(loud, [*loud[1:], len(sound) / natural_sound.RATE]) if two - one >= PAUSE + 0.01]


def beside_pauses(words, quiet):
    """The words, with their ends and starts where the pauses are: Whisper's times spread over these."""
    for start, end in quiet:
        last = max((place for place, word in enumerate(words) if (word.start + word.end) / 2 < start), default=None)
        if last is not None:
            words[last] = words[last]._replace(end=start)
            if last + 1 < len(words):
                words[last + 1] = words[last + 1]._replace(start=end, end=max(end, words[last + 1].end))
    return words


def ends_of_speech(words):
    """The places of the words after which it is quiet for a second, and of the last."""
    return [place for place, word in enumerate(words) if place + 1 == len(words) or words[place + 1].start - word.end >= PAUSE]


# --- Listening -------------------------------------------------------------------------------------------------------------------

def listen(microphone, recording, options):
    saved = microphone.folder / "saved.wav"
    saved.unlink(missing_ok=True)
    environment = {**microphone.listener, **{name: os.environ[name] for name in ("UTTER_MODEL", "UTTER_SECOND_PASS")}}
    command = [options.utter, "listen", "-f", "jsonl", "--save-audio", str(saved), *options.passed]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as child:
        events = []

        def read():
            for line in child.stdout:
                events.append((time.time(), json.loads(line)))
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(4)
        marks = [(time.monotonic(), processes.processor(child.pid))]
        time.sleep(options.quiet)
        marks.append((time.monotonic(), processes.processor(child.pid)))
        microphone.playing(recording.path).wait()
        marks.append((time.monotonic(), processes.processor(child.pid)))
        time.sleep(AFTER)
        child.send_signal(signal.SIGINT)
        reader.join()
    shares = [100 * (two[1] - one[1]) / (two[0] - one[0]) for one, two in zip(marks, marks[1:])]
    began = events[-1][1]["clock"] + (first_sound(saved) - first_sound(recording.path)) / natural_sound.RATE
    return Heard([(at - began, event) for at, event in events], shares[1], shares[0])


def first_sound(path):
    return natural_sound.loud_part(natural_sound.samples(path))[0]


# --- What it is worth ------------------------------------------------------------------------------------------------------------

def matched(said, wrote):
    """The places of said words that were written, with the places where."""
    blocks = difflib.SequenceMatcher(None, said, wrote, autojunk=False).get_matching_blocks()
    return {block.a + place: block.b + place for block in blocks for place in range(block.size)}


class Result(NamedTuple):
    """Sums and lists that add up over recordings."""
    delays: list = []
    never: int = 0
    taken_back: int = 0
    errors: scoring.Errors = scoring.Errors()
    finals: int = 0
    whole: int = 0
    texts: list = []
    results: list = []
    speaking: list = []
    quiet: list = []

    def __add__(self, other):
        return Result(*(one + two for one, two in zip(self, other)))

    def cells(self):
        def pair(values, part):
            ordered = sorted(value for value in values if value is not None)
            missing = f" ({len(ordered)} of {len(values)})" if len(ordered) < len(values) else ""
            return (f"{statistics.median(ordered):.2f}, {ordered[int(part * (len(ordered) - 1))]:.2f} s" if ordered else table.NOTHING) + missing
        return [str(len(self.delays) + self.never), pair(self.delays, 0.9), str(self.never), str(self.taken_back), f"{self.errors.rate:.1f} %",
                str(self.errors.deletions), f"{self.whole} of {self.finals}", pair(self.texts, 1), pair(self.results, 1),
                f"{statistics.mean(self.speaking):.1f} %", f"{statistics.mean(self.quiet):.1f} %"]


HEAD = ["Live", "Words", "Right after: median, 9 of 10", "Never", "Taken back", "Wrong", "Lost", "Whole finals", "Text: median, worst",
        "Final: median, worst", "CPU, speech", "CPU, quiet"]


def judged(recording, words, heard):
    said = [word.text for word in words]
    finals, final_at, guess = [], [], ""
    right, before, taken_back = {}, [], 0
    for at, event in heard.events:
        if event["type"] == "final":
            finals.append(event["text"])
            final_at.append(at)
            guess = ""
        elif event["type"] == "volatile":
            guess = event["text"]
        else:
            continue
        shown = natural.words(" ".join([*finals, guess]))
        # What has not been said yet can't be meant.
        spoken = sum(word.start <= at for word in words)
        found = matched(said[:spoken], shown)
        right = {place: right.get(place, at) for place in found}
        taken_back += sum(place >= len(shown) or shown[place] != word for place, word in enumerate(before))
        before = shown
    # For each final, how many words stand in it and those before it.
    counts = [len(natural.words(" ".join(finals[:number + 1]))) for number in range(len(finals))]
    places = matched(said, natural.words(" ".join(finals)))
    ends = ends_of_speech(words)
    last_said = [max((said_at for said_at, place in places.items() if place < count), default=-1) for count in counts]
    whole = sum(bool(MARK.search(text.strip())) or last in ends for text, last in zip(finals, last_said))
    # The final that each word stands in, and those in which none is right: they belong to the speech before them.
    final_of = {place: next(number for number, count in enumerate(counts) if spot < count) for place, spot in places.items()}
    strange = [at for number, at in enumerate(final_at) if number not in final_of.values()]
    texts, results, begin = [], [], 0
    for end, later in zip(ends, [*ends[1:], None]):
        following = words[later].end if later else 1e9
        there = range(begin, end + 1)
        texts.append(max(right[place] for place in there if place in right) - words[end].end if end in right else None)
        ended = [final_at[final_of[place]] for place in there if place in final_of] + [at for at in strange if words[end].end < at < following]
        results.append(max(ended) - words[end].end if ended else None)
        begin = end + 1
    return Result([at - words[place].end for place, at in right.items()], len(words) - len(right), taken_back,
                  scoring.spoken_errors(recording.said, " ".join(finals)), len(finals), whole, texts, results, [heard.speaking], [heard.quiet])


def keep(folder, recording, heard):
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder) / f"{recording.name}.jsonl", "w", encoding="utf-8") as file:
        for at, event in heard.events:
            if event["type"] != "level":
                print(json.dumps({"at": round(at, 3), **event}, ensure_ascii=False), file=file)


def measure(recordings, options):
    words = spoken_words(recordings)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    table.line(*HEAD)
    table.line(*["---"] * len(HEAD))
    total = Result()
    try:
        with tempfile.TemporaryDirectory(prefix="utter-live.") as folder:
            microphone = live.Microphone(Path(folder))
            try:
                for recording in recordings:
                    heard = listen(microphone, recording, options)
                    if options.events:
                        keep(options.events, recording, heard)
                    result = judged(recording, words[recording.name], heard)
                    total += result
                    table.line(recording.name, *result.cells())
            finally:
                microphone.server.kill()
                microphone.server.wait()
    finally:
        for child in busy:
            child.kill()
            child.wait()
    table.line("all", *total.cells())


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    given = sys.argv[1:]
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--utter", default=quality.UTTER)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--quiet", type=float, default=5)
    parser.add_argument("--events")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args(given[:given.index("--")] if "--" in given else given)
    options.passed = given[given.index("--") + 1:] if "--" in given else []
    recordings = natural_sound.recordings()
    if options.names:
        known = {one.name: one for one in [*recordings, *natural_sound.mixes()]}
        unknown = [name for name in options.names if name not in known]
        if unknown:
            sys.exit(f"natural_live: there is no {unknown[0]}; there are {', '.join(known)}")
        recordings = [known[name] for name in options.names]
    natural.circumstances(options.utter)
    measure(recordings, options)


if __name__ == "__main__":
    main()
