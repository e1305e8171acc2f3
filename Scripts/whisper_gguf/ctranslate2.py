"""Reads CTranslate2's model.bin.

The format is what `ModelSpec._serialize` writes (CTranslate2, python/ctranslate2/specs/model_spec.py), version 6, little-endian:
version, name of the specification, its revision, the number of variables and the variables, the number of aliases and the aliases.
A text is its length as uint16, the final NUL counted, and its bytes.
"""
import collections
import math
import struct

from .unusable import Unusable

Variable = collections.namedtuple("Variable", "shape kind data")

VERSION = 6
INT8, INT16, FLOAT16 = 1, 2, 4
ITEM_SIZES = {0: 4, INT8: 1, INT16: 2, 3: 4, FLOAT16: 2, 5: 2}


class Reader:
    def __init__(self, data):
        self.data, self.position = memoryview(data), 0

    def bytes(self, count):
        if count > len(self.data) - self.position:
            raise Unusable("it ends too early")
        self.position += count
        return self.data[self.position - count:self.position]

    def numbers(self, form):
        return struct.unpack("<" + form, self.bytes(struct.calcsize("<" + form)))

    def number(self, form):
        return self.numbers(form)[0]

    def text(self):
        raw = bytes(self.bytes(self.number("H")))
        try:
            return raw.removesuffix(b"\0").decode("utf-8")
        except UnicodeDecodeError:
            raise Unusable("one of its names is damaged") from None


def read_variables(data):
    """The variables of a Whisper model by their names."""
    reader = Reader(data)
    if reader.number("I") != VERSION or reader.text() != "WhisperSpec":
        raise Unusable(f"it is no Whisper model in CTranslate2's format {VERSION}")
    reader.number("I")  # The revision of the specification.
    variables = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = reader.numbers(f"{reader.number('B')}I")
        kind, size = reader.numbers("BI")
        if size != math.prod(shape) * ITEM_SIZES.get(kind, -1):
            raise Unusable(f"the size of {name!r} does not match its shape")
        variables[name] = Variable(shape, kind, reader.bytes(size))
    for _ in range(reader.number("I")):
        alias, name = reader.text(), reader.text()
        if name not in variables:
            raise Unusable(f"{alias!r} stands for {name!r}, which is missing")
    if reader.position != len(data):
        raise Unusable("something follows its end")
    return variables
