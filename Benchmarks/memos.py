#!/usr/bin/env python3
"""Prints free-form memos as the first pass alone and as both passes write them, side by side, to be read and to be counted.

  memos.py [--second-pass MODEL] [--table] [FOLDER…]

Four memos are sentences of a volunteer of LibriVox (Debian's pocketsphinx-testdata); those of memos.tsv are spoken by the voices of
flite. Recordings of each FOLDER (see quality.py), whose transcripts.tsv has the column `written`, are joined to memos of two to five.
Counted is for each memo, and of all:

  wrong words      words that are wrong whatever the case and punctuation, in percent of those that were said; see scoring.py
  words to mend    words and punctuation marks that are to be changed, added or removed until the text is as it should be written
  keys to mend     the same in characters: the Levenshtein distance of the two texts

  --second-pass MODEL   the model of the second pass; the one that Scripts/setup makes unless given
  --table               the sums alone
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import quality
import scoring
import table

ROOT = table.ROOT
PAUSE = 0.7  # between two recordings, in seconds


class Memo(NamedTuple):
    name: str
    path: str
    said: str
    written: str


def joined(recordings, name, folder):
    """Recordings as one, with a pause between them."""
    path = f"{folder}/{name}.wav"
    parts = []
    for number, recording in enumerate(recordings):
        part = f"{folder}/part-{number}.wav"
        sox(recording.path, *["-r", "16000", "-c", "1", "-b", "16"], part, "pad", "0", str(PAUSE))
        parts.append(part)
    sox(*parts, path)
    return Memo(name, path, " ".join(recording.said for recording in recordings), " ".join(recording.written for recording in recordings))


def sox(*arguments):
    subprocess.run(["sox", "-D", "-R", *arguments], check=True)


def from_librivox(folder):
    sentences = quality.from_table(ROOT / "Benchmarks/librivox.tsv", quality.LIBRIVOX)
    for number, chosen in enumerate([(0, 1, 2), (1, 2, 3), (3, 4), (0, 1, 2, 3, 4)], 1):
        yield joined([sentences[index] for index in chosen], f"LibriVox-{number}", folder)


def from_flite(folder):
    for number, line in enumerate((ROOT / "Benchmarks/memos.tsv").read_text(encoding="utf-8").splitlines()[1:], 1):
        voice, spoken, written = line.split("\t")
        name = f"{voice}-{number}"
        subprocess.run(["flite", "-voice", voice, "-t", spoken, "-o", f"{folder}/spoken.wav"], check=True)
        sox(f"{folder}/spoken.wav", *["-r", "16000", "-c", "1", "-b", "16"], f"{folder}/{name}.wav", "pad", "0.3", str(PAUSE))
        yield Memo(name, f"{folder}/{name}.wav", spoken, written)


def from_folder(path, folder):
    recordings = quality.recordings_in(Path(path))
    if not all(recording.written for recording in recordings):
        sys.exit(f"memos: of some recordings of {path} it is not known how they should be written")
    start = number = 0
    while len(recordings) - start >= 2:
        number += 1
        # Two to five by turns, and none alone at the end.
        count = 2 + (number - 1) % 4
        rest = len(recordings) - start - count
        count += rest if rest < 2 else 0
        yield joined(recordings[start:start + count], f"{Path(path).name}-{number}", folder)
        start += count


def distance(one, other):
    """How many items of a list are to be changed, added or removed to make it another."""
    row = list(range(len(other) + 1))
    for number, item in enumerate(one, 1):
        before, row[0] = row[0], number
        for column, wanted in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (item != wanted))
    return row[-1]


class Sum(NamedTuple):
    spoken: scoring.Errors = scoring.Errors()
    mended: scoring.Errors = scoring.Errors()
    keys: int = 0
    # Memos that may be kept as they are.
    whole: int = 0

    def adding(self, memo, heard):
        mended, keys = scoring.written_errors(memo.written, heard), distance(heard, memo.written)
        return Sum(self.spoken + scoring.spoken_errors(memo.said, heard), self.mended + mended, self.keys + keys, self.whole + (keys == 0))


def main():
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__.strip())
        return
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--second-pass", type=Path, default=quality.MODEL)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    passes = {"first pass": ["--second-pass", "none"], "both passes": ["--second-pass", str(options.second_pass)]}
    with tempfile.TemporaryDirectory(prefix="utter-memos.") as folder:
        memos = [*from_librivox(folder), *from_flite(folder), *(memo for path in options.folders for memo in from_folder(path, folder))]
        sums = {name: Sum() for name in passes}
        for memo in memos:
            if not options.table:
                print(f"{memo.name}\n  as written    {memo.written}")
            for name, arguments in passes.items():
                heard = quality.texts([quality.UTTER, "transcribe", "-q", *arguments, "{file}"], [memo.path])[0]
                before, sums[name] = sums[name], sums[name].adding(memo, heard)
                if not options.table:
                    print(f"  {name:13} {heard}\n  {'':13} {sums[name].mended.total - before.mended.total} words, "
                          f"{sums[name].keys - before.keys} keys to mend", flush=True)
        table.line(f"{len(memos)} memos", "Wrong words", "Words to mend", "Keys to mend", "Kept as they are")
        table.line(*["---"] * 5)
        for name, found in sums.items():
            table.line(name, quality.rate(found.spoken), quality.rate(found.mended), str(found.keys), str(found.whole))


if __name__ == "__main__":
    main()
