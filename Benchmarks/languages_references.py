"""What faster-whisper hears in recordings whose language is named, for Benchmarks/languages.py, which runs this with a Python that has it.

  languages_references.py WEIGHTS LANGUAGE BEAM[,BEAM] FILE…     a JSON object for each line: file, beam, text
"""
import json
import os
import sys

import faster_whisper


def remembering(encode):
    """The same encodings, each made once: all beams search in the same, which takes most of the time."""
    known = {}

    def encoded(features):
        key = features.tobytes()
        if key not in known:
            known[key] = encode(features)
        return known[key]
    return encoded


def main(weights, language, beams, *paths):
    model = faster_whisper.WhisperModel(weights, device="cpu", compute_type="float32", cpu_threads=min(2, len(os.sched_getaffinity(0))))
    encode = model.encode
    for path in paths:
        model.encode = remembering(encode)
        for beam in map(int, beams.split(",")):
            segments, _ = model.transcribe(path, language=language, beam_size=beam)
            print(json.dumps({"file": path, "beam": beam, "text": " ".join(segment.text.strip() for segment in segments)}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
