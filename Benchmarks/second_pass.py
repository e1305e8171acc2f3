#!/usr/bin/env python3
"""Writes what libtranscribe hears in recordings, a line each: the path, a tab, the text. For Benchmarks/quality.py.

  second_pass.py MODEL.gguf FILE.wav…      16-bit mono at 16 kHz

It calls the library by itself, with as little of its interface as that takes, so that the figures of the model stand beside those of
what utter makes of it. The declarations are those of version 0.4.1.
"""
import array
import ctypes
import os
import subprocess
import sys
import wave
from pathlib import Path

VERSION = b"0.4.1"
ROOT = Path(__file__).resolve().parent.parent
NO_TIMES = 0  # TRANSCRIBE_TIMESTAMPS_NONE
SIZES = {"SessionParameters": (1, 24), "RunParameters": (2, 104)}  # by transcribe_abi_struct


class SessionParameters(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint64), ("thread_count", ctypes.c_int), ("rest", ctypes.c_char * 12)]


class RunParameters(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint64), ("task", ctypes.c_int), ("timestamps", ctypes.c_int), ("rest", ctypes.c_char * 88)]


def load():
    """The library, without what the environment may tell it."""
    for name in [name for name in os.environ if name.startswith(("TRANSCRIBE_", "GGML_"))]:
        del os.environ[name]
    folder = subprocess.run([ROOT / "Scripts/setup", "--where"], stdout=subprocess.PIPE, text=True).stdout.strip()
    if not folder:
        sys.exit("second_pass: libtranscribe is not here; run Scripts/setup")
    library = ctypes.CDLL(f"{folder}/libtranscribe.so")
    library.transcribe_version.restype = library.transcribe_full_text.restype = library.transcribe_status_string.restype = ctypes.c_char_p
    library.transcribe_abi_struct_size.restype = ctypes.c_size_t
    library.transcribe_full_text.argtypes = [ctypes.c_void_p]
    library.transcribe_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(RunParameters)]
    if library.transcribe_version() != VERSION:
        sys.exit(f"second_pass: libtranscribe {VERSION.decode()} is needed, and {folder} has another")
    for structure in (SessionParameters, RunParameters):
        identifier, size = SIZES[structure.__name__]
        assert library.transcribe_abi_struct_size(identifier) == ctypes.sizeof(structure) == size
    library.transcribe_log_set(None, None)
    check(library, library.transcribe_init_backends(folder.encode()), "libtranscribe can't start")
    return library


def check(library, status, what):
    if status:
        sys.exit(f"second_pass: {what}: {library.transcribe_status_string(status).decode()}")


def samples(path):
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (16000, 1, 2):
            sys.exit(f"second_pass: {path} is not 16-bit mono at 16 kHz")
        return array.array("f", (sample / 32768 for sample in array.array("h", file.readframes(file.getnframes()))))


def main(model_path, *paths):
    library = load()
    model, session, parameters, run = ctypes.c_void_p(), ctypes.c_void_p(), SessionParameters(), RunParameters()
    check(library, library.transcribe_model_load_file(model_path.encode(), None, ctypes.byref(model)), f"{model_path} can't be loaded")
    library.transcribe_session_params_init(ctypes.byref(parameters))
    parameters.thread_count = min(2, len(os.sched_getaffinity(0)))
    check(library, library.transcribe_session_init(model, ctypes.byref(parameters), ctypes.byref(session)), "no session")
    library.transcribe_run_params_init(ctypes.byref(run))
    run.timestamps = NO_TIMES
    for path in paths:
        data = samples(path)
        check(library, library.transcribe_run(session, data.buffer_info()[0], len(data), ctypes.byref(run)), f"{path} can't be transcribed")
        print(path, " ".join(library.transcribe_full_text(session).decode(errors="replace").split()), sep="\t", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
