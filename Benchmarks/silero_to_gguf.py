#!/usr/bin/env python3
"""Makes of Silero's detector of speech, as the PyPI package silero-vad has it, the GGUF that libtranscribe loads. Standard library only.

  silero_to_gguf.py silero_vad-6.2.3-py3-none-any.whl SILERO.gguf
"""
import json
import struct
import sys
import zipfile

INTEGER, SIGNED, TEXT, LIST = 4, 5, 8, 9
NAMES = {"stft_conv.weight": "frontend.stft_basis", "lstm_cell.weight_ih": "lstm.weight_ih", "lstm_cell.weight_hh": "lstm.weight_hh",
         "lstm_cell.bias_ih": "lstm.bias_ih", "lstm_cell.bias_hh": "lstm.bias_hh", "final_conv.weight": "head.weight",
         "final_conv.bias": "head.bias", **{f"conv{number + 1}.{part}": f"enc.{number}.conv.{part}" for number in range(4)
                                            for part in ("weight", "bias")}}
SHAPES = {"stft_conv.weight": [258, 256], "final_conv.weight": [1, 128]}
FACTS = {
    "general.architecture": "silero_vad", "general.name": "silero-vad-v6.2.0", "general.version": "v6.2.0",
    "stt.variant": "silero-vad-v6.2.0", "stt.vad.frame_samples": 512, "stt.vad.sample_rate": 16000, "stt.frontend.sample_rate": 16000,
    "stt.frontend.n_fft": 256, "stt.frontend.hop_length": 128, "stt.frontend.win_length": 256, "stt.silero_vad.context_samples": 64,
    "stt.silero_vad.reflect_pad": 64, "stt.silero_vad.lstm_hidden": 128, "stt.silero_vad.encoder_channels": [129, 128, 64, 64, 128],
    "stt.silero_vad.encoder_strides": [1, 2, 2, 1]}


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def fact(value):
    if isinstance(value, int):
        return struct.pack("<II", INTEGER, value)
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + text(value)
    return struct.pack(f"<IIQ{len(value)}i", LIST, SIGNED, len(value), *value)


def tensors(wheel):
    """Name, shape and bytes of each."""
    data = zipfile.ZipFile(wheel).read("silero_vad/data/silero_vad_16k.safetensors")
    length = struct.unpack("<Q", data[:8])[0]
    for name, entry in json.loads(data[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            yield NAMES[name], SHAPES.get(name, entry["shape"]), data[begin:end]


def main(wheel, path):
    parts = list(tensors(wheel))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(parts), len(FACTS)) + b"".join(text(name) + fact(value) for name, value in FACTS.items())
    body = b""
    for name, shape, data in parts:
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), 0, len(body))
        body += data + bytes(-len(data) % 32)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + body)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
