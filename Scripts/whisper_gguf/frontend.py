"""What turns sound into the encoder's input: the bank of filters and the window."""
import math
import struct

from .gguf import F32, Tensor

RATE, WINDOW, HOP, SECONDS = 16000, 400, 160, 30


def mel_filters(bands):
    """Slaney's triangular filters, as librosa.filters.mel(sr=16000, n_fft=400, n_mels=bands) makes them, row after row."""
    def to_mel(hertz):
        return hertz * 3 / 200 if hertz < 1000 else 15 + math.log(hertz / 1000) * 27 / math.log(6.4)

    def to_hertz(mel):
        return mel * 200 / 3 if mel < 15 else 1000 * math.exp((mel - 15) * math.log(6.4) / 27)

    top = RATE / 2
    # The last edge is exact, so that no difference of logarithms decides whether the last bin gets a zero.
    edges = [to_hertz(to_mel(top) * edge / (bands + 1)) for edge in range(bands + 1)] + [top]
    bins = [RATE * number / WINDOW for number in range(WINDOW // 2 + 1)]
    return [max(0.0, min((bin - low) / (middle - low), (high - bin) / (high - middle))) * 2 / (high - low)
            for low, middle, high in zip(edges, edges[1:], edges[2:]) for bin in bins]


def tensors(bands):
    def single(name, shape, values):
        return Tensor(name, shape, F32, struct.pack(f"<{len(values)}f", *values))

    yield single("frontend.mel_filterbank", (bands, WINDOW // 2 + 1), mel_filters(bands))
    yield single("frontend.window", (WINDOW,), [0.5 - 0.5 * math.cos(2 * math.pi * number / WINDOW) for number in range(WINDOW)])
