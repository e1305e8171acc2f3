#!/usr/bin/env python3
"""Prints how many of the marks that somebody dictates are written, in 100 sentences of flite's voices.

  marks.py [--utter PROGRAM] [--details] [-- OPTION…]

  --utter PROGRAM   UTTER_BINARY, or .build/release/utter, unless given
  --details         what was written where a mark is wrong
  -- OPTION…        options for utter transcribe, in place of --rules marks,capitals

marks.txt has the sentences: <,> and the like are said by name, <nl> is "new line", <np> "new paragraph". A third of them are said without
pauses, a third with one before each name, and a third with one on both sides. A mark is right where it stands between the words that were
said, in the alignment of both texts that fits best; other words don't matter. UTTER_SECOND_PASS is the model. Needs flite and sox.
"""
import argparse
import difflib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import table

NAMES = {
    ",": ["comma"], ".": ["full stop", "period"], "?": ["question mark"], "!": ["exclamation mark", "exclamation point"], ":": ["colon"],
    ";": ["semicolon"], "(": ["open parenthesis"], ")": ["close parenthesis"], "nl": ["new line"], "np": ["new paragraph"]}
BREAKS = {"nl": "\n", "np": "\n\n"}
VOICES = ["rms", "slt", "awb"]
PAUSES = [" {} ", ", {} ", ", {}, "]


def spoken(sentence, number):
    """What the voice says of a sentence: the names of its marks, with pauses beside them."""
    def name(match):
        names = NAMES[match[1]]
        return PAUSES[number % 3].format(names[number % 2 % len(names)])
    return re.sub(r"[\s,]+,", ",", re.sub(r"\s+", " ", re.sub("<(.*?)>", name, sentence))).strip(" ,") + "."


def written(sentence):
    return re.sub("<(.*?)>", lambda match: BREAKS.get(match[1], match[1]), sentence)


def parts(text):
    """The words and marks of a text."""
    return re.findall(r"\n\n|\n|[\w'$-]+|[.,?!:;()]", text.lower().replace("’", "'"))


def is_mark(part):
    return not re.match(r"[\w'$-]", part)


def right_marks(said, heard):
    blocks = difflib.SequenceMatcher(None, said, heard, autojunk=False).get_matching_blocks()
    return sum(is_mark(part) for block in blocks for part in said[block.a:block.a + block.size])


def joined(lines):
    text = ""
    for event in map(json.loads, lines):
        if event.get("type") == "segment":
            text += ("" if not text or event["text"][0] in "\n.,?!:;)" else " ") + event["text"]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--utter", default=os.environ.get("UTTER_BINARY") or str(table.ROOT / ".build/release/utter"))
    parser.add_argument("--details", action="store_true")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    sentences = (table.ROOT / "Benchmarks/marks.txt").read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        for number, sentence in enumerate(sentences):
            path = f"{folder}/{number:03}.wav"
            voice = VOICES[number // 3 % len(VOICES)]
            subprocess.run(["flite", "-voice", voice, "-t", spoken(sentence, number), "-o", f"{folder}/voice"], check=True)
            subprocess.run(["sox", "-D", "-t", "wav", f"{folder}/voice", "-r", "16000", path, "pad", "0.5", "1"], check=True)
        options = arguments.options or ["--rules", "marks,capitals"]
        subprocess.run([arguments.utter, "transcribe", "-q", "-f", "jsonl", "--locale", "en", *options, "--output-dir", f"{folder}/text",
                        *sorted(map(str, Path(folder).glob("*.wav")))], check=True)
        texts = [joined(open(f"{folder}/text/{number:03}.jsonl")) for number in range(len(sentences))]
    whole = right = said = extra = 0
    for sentence, text in zip(sentences, texts):
        expected, heard = parts(written(sentence)), parts(text)
        good, all_said, all_written = right_marks(expected, heard), sum(map(is_mark, expected)), sum(map(is_mark, heard))
        right, said, extra = right + good, said + all_said, extra + all_written - good
        if good == all_said == all_written:
            whole += 1
        elif arguments.details:
            table.say(f"{written(sentence)!r}\n  {text!r}")
    table.line("Sentences", "All marks right", "Marks said", "Right", "Others written")
    table.line(*["---"] * 5)
    table.line(str(len(sentences)), str(whole), str(said), str(right), str(extra))


if __name__ == "__main__":
    main()
