"""The bytes of GGUF, the format of https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3, little-endian.

A text is its length as uint64 and its bytes. The tensors' data begin at a multiple of 32 bytes, and so does each of them, counted from
there.
"""
import collections
import struct

Tensor = collections.namedtuple("Tensor", "name shape kind data")
F32, F16 = 0, 1  # ggml's types of a tensor

VERSION, ALIGNMENT = 3, 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9


def text_bytes(text):
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def value_bytes(value):
    """A value with its type before it, which follows from Python's; numbers in a list are signed."""
    if isinstance(value, bool):
        return struct.pack("<I?", BOOL, value)
    if isinstance(value, int):
        return struct.pack("<II", UINT32, value)
    if isinstance(value, float):
        return struct.pack("<If", FLOAT32, value)
    if isinstance(value, str):
        return struct.pack("<I", STRING) + text_bytes(value)
    kind, items = (STRING, map(text_bytes, value)) if isinstance(value[0], str) else (
        INT32, (struct.pack("<i", item) for item in value))
    return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(items)


def padding(size):
    return bytes(-size % ALIGNMENT)


def pieces(values, tensors):
    """The bytes of the file, in pieces."""
    head = struct.pack("<4sIQQ", b"GGUF", VERSION, len(tensors), len(values))
    head += b"".join(text_bytes(key) + value_bytes(value) for key, value in values.items())
    offset = 0
    for name, shape, kind, data in tensors:
        # The dimension that runs fastest comes first.
        head += text_bytes(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), kind, offset)
        offset += len(data) + len(padding(len(data)))
    found = [head, padding(len(head))]
    for tensor in tensors:
        found += tensor.data, padding(len(tensor.data))
    return found
