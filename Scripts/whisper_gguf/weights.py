"""The weights of a Whisper model, under the names that libtranscribe looks up.

Those names are in transcribe.cpp's scripts/convert-whisper.py, CTranslate2's in its python/ctranslate2/specs/whisper_spec.py.
"""
import struct

from .ctranslate2 import FLOAT16, INT8, INT16
from .gguf import F16, F32, Tensor
from .unusable import Unusable

# CTranslate2 keeps the projections of an attention in one matrix, one below the other; a row here takes its share: (name, variable,
# which share of how many). Whisper's key projections have no bias: CTranslate2 keeps zeros for them, and GGUF nothing.
WHOLE = (0, 1)
ENCODER_LAYER = [
    ("norm_attn", "self_attention/layer_norm", WHOLE),
    ("attn.q", "self_attention/linear_0", (0, 3)),
    ("attn.k", "self_attention/linear_0", (1, 3)),
    ("attn.v", "self_attention/linear_0", (2, 3)),
    ("attn.out", "self_attention/linear_1", WHOLE),
    ("norm_ffn", "ffn/layer_norm", WHOLE),
    ("ffn.fc1", "ffn/linear_0", WHOLE),
    ("ffn.fc2", "ffn/linear_1", WHOLE),
]
DECODER_LAYER = [
    ("norm_self", "self_attention/layer_norm", WHOLE),
    ("self_attn.q", "self_attention/linear_0", (0, 3)),
    ("self_attn.k", "self_attention/linear_0", (1, 3)),
    ("self_attn.v", "self_attention/linear_0", (2, 3)),
    ("self_attn.out", "self_attention/linear_1", WHOLE),
    ("norm_cross", "attention/layer_norm", WHOLE),
    ("cross_attn.q", "attention/linear_0", WHOLE),
    ("cross_attn.k", "attention/linear_1", (0, 2)),
    ("cross_attn.v", "attention/linear_1", (1, 2)),
    ("cross_attn.out", "attention/linear_2", WHOLE),
    ("norm_ffn", "ffn/layer_norm", WHOLE),
    ("ffn.fc1", "ffn/linear_0", WHOLE),
    ("ffn.fc2", "ffn/linear_1", WHOLE),
]
# Positions are kept in single precision, and so is everything with one dimension, as in transcribe.cpp's own files.
SINGLE = ("enc.pos_emb.weight", "dec.pos_emb.weight")


class Weights:
    """A model's variables, each of which is looked up by name and counted as used."""

    def __init__(self, variables):
        self.variables, self.unused = variables, set(variables)

    def __getitem__(self, name):
        if name not in self.variables:
            raise Unusable(f"it has no {name!r}")
        self.unused.discard(name)
        return self.variables[name]

    def shape(self, name, dimensions):
        shape = self[name].shape
        if len(shape) != dimensions or 0 in shape:
            raise Unusable(f"{name!r} has the shape {shape}")
        return shape

    def layers(self, side):
        return len({name.split("/")[1] for name in self.variables if name.startswith(f"{side}/layer_") and name.count("/") > 2})

    def heads(self, side):
        """The number of attention heads, which CTranslate2 writes as a variable."""
        variable = self[f"{side}/num_heads"]
        form = {INT8: "<b", INT16: "<h"}.get(variable.kind)
        if form is None or len(variable.data) != struct.calcsize(form):
            raise Unusable(f"'{side}/num_heads' is damaged")
        return struct.unpack(form, variable.data)[0]

    def tensor(self, name, variable, share=WHOLE):
        shape, kind, data = self[variable]
        part, parts = share
        if kind != FLOAT16 or not shape or shape[0] % parts:
            raise Unusable(f"{variable!r} is not in half precision, or has the shape {shape}")
        size = len(data) // parts
        shape, data = (shape[0] // parts, *shape[1:]), data[part * size:(part + 1) * size]
        if len(shape) > 1 and name not in SINGLE:
            return Tensor(name, shape, F16, bytes(data))
        count = len(data) // 2
        return Tensor(name, shape, F32, struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", data)))

    def pair(self, name, variable, share=WHOLE):
        """The weight and the bias of a layer; those of a normalization are called gamma and beta in CTranslate2."""
        weight, bias = ("gamma", "beta") if variable.endswith("layer_norm") else ("weight", "bias")
        yield self.tensor(f"{name}.weight", f"{variable}/{weight}", share)
        if not name.endswith("attn.k"):
            yield self.tensor(f"{name}.bias", f"{variable}/{bias}", share)

    def tensors(self):
        for number in (0, 1):
            yield from self.pair(f"enc.conv.{number}", f"encoder/conv{number + 1}")
        yield self.tensor("dec.token_embd.weight", "decoder/embeddings/weight")
        for short, side, table in (("enc", "encoder", ENCODER_LAYER), ("dec", "decoder", DECODER_LAYER)):
            yield self.tensor(f"{short}.pos_emb.weight", f"{side}/position_encodings/encodings")
            yield from self.pair(f"{short}.final_norm", f"{side}/layer_norm")
            for layer in range(self.layers(side)):
                for name, variable, share in table:
                    yield from self.pair(f"{short}.blocks.{layer}.{name}", f"{side}/layer_{layer}/{variable}", share)
