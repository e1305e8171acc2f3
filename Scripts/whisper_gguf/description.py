"""What the file says of the model. The keys and their meaning are those of transcribe.cpp's scripts/convert-whisper.py."""
from .frontend import HOP, RATE, SECONDS, WINDOW
from .unusable import Unusable

SIZES = {384: "tiny", 512: "base", 768: "small", 1024: "medium"}  # By the width of a layer.
ENGLISH_VOCABULARY, MULTILINGUAL_VOCABULARY = 51864, 51865
CONTROL_TOKEN, NORMAL_TOKEN = 3, 1


def vocabulary(tokenizer, count):
    """The texts of all tokens by their numbers. The tokenizer's file leaves the time stamps out, which come last, 20 ms apart."""
    texts = {number: text for text, number in tokenizer["model"]["vocab"].items()}
    texts |= {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    first = len(texts)
    if sorted(texts) != list(range(first)) or first > count:
        raise Unusable("its vocabulary has gaps")
    return [texts[number] for number in range(first)] + [f"<|{step * 0.02:.2f}|>" for step in range(count - first)]


def languages_of(tokens, config):
    """The codes of the languages of a multilingual model, in the order of their tokens, which are their codes."""
    texts = [tokens[number] for number in sorted(config["lang_ids"])]
    if not texts or not all(text.startswith("<|") and text.endswith("|>") for text in texts):
        raise Unusable("its tokens of languages are not known")
    return [text[2:-2] for text in texts]


def values_of(weights, config, tokenizer):
    """The keys and values of the file."""
    count, width = weights.shape("decoder/embeddings/weight", 2)
    bands = weights.shape("encoder/conv1/weight", 3)[1]
    if count not in (ENGLISH_VOCABULARY, MULTILINGUAL_VOCABULARY) or width not in SIZES:
        raise Unusable(f"only Whisper's models up to medium can be converted, and this one has {count} tokens and layers of {width}")
    tokens = vocabulary(tokenizer, count)
    is_english = count == ENGLISH_VOCABULARY
    languages = ["en"] if is_english else languages_of(tokens, config)
    numbers = {text: number for number, text in enumerate(tokens)}
    size = SIZES[width]
    values = {
        "general.architecture": "whisper", "general.name": f"Whisper {size.title()}" + (" (English)" if is_english else ""),
        "general.basename": "whisper", "general.license": "mit", "general.file_type": 1, "general.languages": languages,
        "stt.variant": f"whisper-{size}" + (".en" if is_english else ""), "stt.capability.lang_detect": not is_english,
        "stt.capability.translate": not is_english, "stt.capability.timestamps": True,
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt2", "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [CONTROL_TOKEN if text.startswith("<|") else NORMAL_TOKEN for text in tokens],
        "tokenizer.ggml.merges": [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]],
    }
    values |= {f"tokenizer.ggml.{role}_token_id": numbers["<|endoftext|>"] for role in ("bos", "eos", "padding")}
    for side, positions in (("encoder", "max_source_positions"), ("decoder", "max_target_positions")):
        values |= {f"stt.whisper.{side}.{key}": value for key, value in {
            "n_layers": weights.layers(side), "d_model": width, "n_heads": weights.heads(side), "ffn_dim": 4 * width,
            positions: weights.shape(f"{side}/position_encodings/encodings", 2)[0], "activation": "gelu"}.items()}
    values |= {"stt.whisper.encoder.num_mel_bins": bands, "stt.whisper.decoder.vocab_size": count,
               "stt.whisper.decoder.tie_word_embeddings": True, "stt.whisper.decoder.scale_embedding": False}
    values |= {f"stt.whisper.{role}_token_id": numbers[f"<|{text}|>"] for role, text in {
        "decoder_start": "startoftranscript", "sot": "startoftranscript", "no_timestamps": "notimestamps",
        "transcribe": "transcribe", "translate": "translate", "prev_sot": "startofprev"}.items()}
    values |= {"stt.whisper.suppress_tokens": list(config["suppress_ids"]),
               "stt.whisper.begin_suppress_tokens": list(config["suppress_ids_begin"])}
    return values | {f"stt.frontend.{key}": value for key, value in {
        "type": "mel", "window": "hann_periodic", "normalize": "whisper_logmel", "pad_mode": "reflect", "mel_norm": "slaney",
        "num_mels": bands, "sample_rate": RATE, "n_fft": WINDOW, "win_length": WINDOW, "hop_length": HOP, "chunk_length": SECONDS,
        "n_samples": SECONDS * RATE, "nb_max_frames": SECONDS * RATE // HOP, "dither": 0.0, "pre_emphasis": 0.0, "f_min": 0.0,
        "f_max": RATE / 2, "center": True}.items()}
