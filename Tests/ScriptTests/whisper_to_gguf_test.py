"""Scripts/whisper-to-gguf, on a Whisper model of four numbers a layer that is made up here, whole and damaged."""
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts" / "whisper-to-gguf"
sys.path.insert(0, str(SCRIPT.parent))
loader = importlib.machinery.SourceFileLoader("whisper_to_gguf", str(SCRIPT))
whisper_to_gguf = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(whisper_to_gguf)
from whisper_gguf import description  # noqa: E402
from whisper_gguf.unusable import Unusable  # noqa: E402

SEED = int(os.environ.get("UTTER_SEED", "1"))
WIDTH, BANDS, WORDS = 4, 80, 12
CONTROLS = ["endoftext", "startoftranscript", "en", "translate", "transcribe", "startofprev", "notimestamps"]
VOCABULARY = WORDS + len(CONTROLS) + 3  # and three time stamps


def half(count, first=0):
    """Numbers that can be told apart in half precision."""
    return struct.pack(f"<{count}e", *((first + number) % 2048 for number in range(count)))


def variables():
    def add(name, *shape):
        found[name] = (shape, 4, half(math.prod(shape), 7 * len(found)))

    def norm(name):
        add(f"{name}/gamma", WIDTH), add(f"{name}/beta", WIDTH)

    def linear(name, rows, columns=WIDTH):
        add(f"{name}/weight", rows, columns), add(f"{name}/bias", rows)

    found = {}
    add("encoder/conv1/weight", WIDTH, BANDS, 3), add("encoder/conv1/bias", WIDTH)
    add("encoder/conv2/weight", WIDTH, WIDTH, 3), add("encoder/conv2/bias", WIDTH)
    add("decoder/embeddings/weight", VOCABULARY, WIDTH)
    for side, layers, positions in (("encoder", 2, 6), ("decoder", 1, 5)):
        found[f"{side}/num_heads"] = ((), 2, struct.pack("<h", 2))
        add(f"{side}/position_encodings/encodings", positions, WIDTH)
        norm(f"{side}/layer_norm")
        for layer in range(layers):
            at = f"{side}/layer_{layer}"
            norm(f"{at}/self_attention/layer_norm"), norm(f"{at}/ffn/layer_norm")
            linear(f"{at}/self_attention/linear_0", 3 * WIDTH), linear(f"{at}/self_attention/linear_1", WIDTH)
            linear(f"{at}/ffn/linear_0", 4 * WIDTH), linear(f"{at}/ffn/linear_1", WIDTH, 4 * WIDTH)
            if side == "decoder":
                norm(f"{at}/attention/layer_norm"), linear(f"{at}/attention/linear_0", WIDTH)
                linear(f"{at}/attention/linear_1", 2 * WIDTH), linear(f"{at}/attention/linear_2", WIDTH)
    return found


def model_file(found, aliases=(("decoder/projection/weight", "decoder/embeddings/weight"),)):
    def text(string):
        return struct.pack("<H", len(string) + 1) + string.encode() + b"\0"

    data = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, len(found))
    for name, (shape, kind, raw) in found.items():
        data += text(name) + struct.pack(f"<B{len(shape)}IBI", len(shape), *shape, kind, len(raw)) + raw
    return data + struct.pack("<I", len(aliases)) + b"".join(text(alias) + text(name) for alias, name in aliases)


def files():
    tokenizer = {"model": {"vocab": {f"w{number}": number for number in range(WORDS)}, "merges": ["w 0", ["w", "1"]]},
                 "added_tokens": [{"id": WORDS + number, "content": f"<|{text}|>"} for number, text in enumerate(CONTROLS)]}
    return {"model.bin": model_file(variables()), "tokenizer.json": json.dumps(tokenizer).encode(),
            "config.json": json.dumps({"suppress_ids": [1, 2], "suppress_ids_begin": [3]}).encode()}


class GGUF:
    """An independent reader of what was written."""

    def __init__(self, data):
        self.data, self.position = data, 0
        magic, version, tensors, values = self.take("4sIQQ")
        assert (magic, version) == (b"GGUF", 3)
        self.values = {}
        for _ in range(values):
            key = self.text()
            self.values[key] = self.value(self.take("I")[0])
        entries = []
        for _ in range(tensors):
            name, (dimensions,) = self.text(), self.take("I")
            entries.append((name, self.take(f"{dimensions}Q"), *self.take("IQ")))
        start = -(-self.position // 32) * 32
        self.tensors, end = {}, 0
        for name, shape, kind, offset in entries:
            assert offset == -(-end // 32) * 32, "the tensors' data overlap or have a hole between them"
            end = offset + math.prod(shape) * (4, 2)[kind]
            self.tensors[name] = (shape, kind, data[start + offset:start + end])
        assert len(data) == start + -(-end // 32) * 32

    def take(self, form):
        found = struct.unpack_from("<" + form, self.data, self.position)
        self.position += struct.calcsize("<" + form)
        return found

    def text(self):
        return self.take(f"{self.take('Q')[0]}s")[0].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            item, count = self.take("IQ")
            return [self.value(item) for _ in range(count)]
        return self.take({4: "I", 5: "i", 6: "f", 7: "?"}[kind])[0]


class WhisperToGGUFTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model, self.results = Path(folder.name, "model"), Path(folder.name, "results")
        self.model.mkdir(), self.results.mkdir()
        self.output = self.results / "model.gguf"
        for name, value in (("SIZES", {WIDTH: "tiny"}), ("ENGLISH_VOCABULARY", VOCABULARY)):
            patch = mock.patch.object(description, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def write(self, content):
        for name, data in content.items():
            (self.model / name).write_bytes(data)

    def convert(self, content):
        self.write(content)
        whisper_to_gguf.convert(str(self.model), str(self.output))
        return self.output.read_bytes()

    def refusal(self, content):
        """What the script says of an input that it can't use; it must leave nothing behind."""
        with self.assertRaises(Unusable) as caught:
            self.convert(content)
        self.assertEqual(list(self.results.iterdir()), [])
        return str(caught.exception)

    def test_each_weight_gets_its_name_shape_and_bytes(self):
        found, file = variables(), GGUF(self.convert(files()))
        self.assertEqual(len(file.tensors), 2 + 4 + 1 + 2 * 3 + 2 * 15 + 24)
        self.assertEqual(file.tensors["enc.conv.0.weight"], ((3, BANDS, WIDTH), 1, found["encoder/conv1/weight"][2]))
        self.assertEqual(file.tensors["dec.token_embd.weight"], ((WIDTH, VOCABULARY), 1, found["decoder/embeddings/weight"][2]))
        raw = found["encoder/layer_1/self_attention/linear_0/weight"][2]
        size = len(raw) // 3
        for number, part in enumerate("qkv"):
            self.assertEqual(file.tensors[f"enc.blocks.1.attn.{part}.weight"], ((WIDTH, WIDTH), 1, raw[number * size:(number + 1) * size]))
        raw = found["decoder/layer_0/attention/linear_1/weight"][2]
        self.assertEqual(file.tensors["dec.blocks.0.cross_attn.v.weight"][2], raw[len(raw) // 2:])
        self.assertEqual(struct.unpack("<4f", file.tensors["dec.blocks.0.norm_cross.bias"][2]),
                         struct.unpack("<4e", found["decoder/layer_0/attention/layer_norm/beta"][2]))
        self.assertEqual(file.tensors["enc.pos_emb.weight"][:2], ((WIDTH, 6), 0))
        self.assertNotIn("enc.blocks.0.attn.k.bias", file.tensors)

    def test_the_file_says_what_the_model_is(self):
        values = GGUF(self.convert(files())).values
        self.assertEqual(values["stt.variant"], "whisper-tiny.en")
        self.assertEqual(values["tokenizer.ggml.tokens"][WORDS - 1:WORDS + 2], ["w11", "<|endoftext|>", "<|startoftranscript|>"])
        self.assertEqual(values["tokenizer.ggml.tokens"][-3:], ["<|0.00|>", "<|0.02|>", "<|0.04|>"])
        self.assertEqual(values["tokenizer.ggml.token_type"], [1] * WORDS + [3] * (len(CONTROLS) + 3))
        self.assertEqual(values["tokenizer.ggml.merges"], ["w 0", "w 1"])
        self.assertEqual(values["stt.whisper.no_timestamps_token_id"], WORDS + CONTROLS.index("notimestamps"))
        self.assertEqual([values[f"stt.whisper.{side}.n_layers"] for side in ("encoder", "decoder")], [2, 1])
        self.assertEqual([values[f"stt.whisper.{side}.n_heads"] for side in ("encoder", "decoder")], [2, 2])
        self.assertEqual(values["stt.whisper.suppress_tokens"], [1, 2])

    def test_each_filter_has_the_area_of_one_and_the_window_is_symmetric(self):
        file = GGUF(self.convert(files()))
        filters = struct.unpack(f"<{BANDS * 201}f", file.tensors["frontend.mel_filterbank"][2])
        self.assertEqual([filters[201 * band + 200] for band in range(BANDS)], [0.0] * BANDS)
        # The wide ones have enough bins of 40 Hz under them to tell.
        for band in range(60, BANDS):
            self.assertAlmostEqual(sum(filters[201 * band:201 * (band + 1)]) * 40, 1, delta=0.02)
        window = struct.unpack("<400f", file.tensors["frontend.window"][2])
        self.assertEqual((window[0], window[200]), (0, 1))
        for number in range(1, 200):
            self.assertAlmostEqual(window[number], window[400 - number], places=6)

    def test_the_same_input_gives_the_same_bytes(self):
        self.assertEqual(self.convert(files()), self.convert(files()))

    def test_what_is_missing_or_another_kind_of_model_is_named(self):
        whole = files()
        self.assertIn("model.bin can't be read: No such file or directory", self.refusal({}))
        self.assertIn("it is no Whisper model", self.refusal(whole | {"model.bin": struct.pack("<IH", 6, 16) + b"TransformerSpec\0"}))
        self.assertIn("it ends too early", self.refusal(whole | {"model.bin": whole["model.bin"][:-1]}))
        self.assertIn("something follows its end", self.refusal(whole | {"model.bin": whole["model.bin"] + b"\0"}))
        self.assertIn("tokenizer.json can't be used", self.refusal(whole | {"tokenizer.json": b"{"}))
        self.assertIn("are not those of a Whisper model", self.refusal(whole | {"config.json": b"[]"}))
        lone = whole["tokenizer.json"].replace(b"w3", b"\\ud800")
        self.assertIn("are not those of a Whisper model", self.refusal(whole | {"tokenizer.json": lone}))
        found = variables()
        del found["decoder/layer_0/attention/linear_2/bias"]
        self.assertIn("it has no 'decoder/layer_0/attention/linear_2/bias'", self.refusal(whole | {"model.bin": model_file(found)}))
        found = variables() | {"decoder/layer_0/adapter/weight": ((WIDTH, WIDTH), 4, half(WIDTH * WIDTH))}
        self.assertIn("not known here: decoder/layer_0/adapter/weight", self.refusal(whole | {"model.bin": model_file(found)}))
        found = variables()
        shape, _, raw = found["decoder/embeddings/weight"]
        found["decoder/embeddings/weight"] = (shape, 1, raw[::2])
        self.assertIn("not in half precision", self.refusal(whole | {"model.bin": model_file(found)}))
        self.assertIn("stands for", self.refusal(whole | {"model.bin": model_file(variables(), [("one", "another")])}))

    def test_a_model_of_several_languages_says_which(self):
        with mock.patch.object(description, "ENGLISH_VOCABULARY", VOCABULARY + 1), \
                mock.patch.object(description, "MULTILINGUAL_VOCABULARY", VOCABULARY):
            several = files()
            config = json.loads(several["config.json"])
            several["config.json"] = json.dumps(config | {"lang_ids": [WORDS + CONTROLS.index("en")]}).encode()
            self.assertIn("its tokens of languages are not known", self.refusal(several | {
                "config.json": json.dumps(config | {"lang_ids": [1]}).encode()}))
            self.refusal(files())
            values = GGUF(self.convert(several)).values
            self.assertEqual((values["stt.variant"], values["general.languages"]), ("whisper-tiny", ["en"]))
            self.assertTrue(values["stt.capability.lang_detect"] and values["stt.capability.translate"])

    def test_a_model_of_another_size_is_refused(self):
        with mock.patch.object(description, "ENGLISH_VOCABULARY", VOCABULARY + 1):
            self.assertIn("only Whisper's models up to medium can be converted", self.refusal(files()))

    def test_a_damaged_input_gives_a_file_or_a_sentence(self):
        print(f"seed {SEED}")
        chance, whole, refused = random.Random(SEED), files(), 0
        count = int(os.environ.get("UTTER_DAMAGES", "200"))
        for _ in range(count):
            name = chance.choice(sorted(whole))
            data = bytearray(whole[name])
            for _ in range(chance.choice((1, 1, 4))):
                at = chance.randrange(len(data))
                match chance.randrange(3):
                    case 0: data[at] = chance.randrange(256)
                    case 1: del data[at:]
                    case 2: data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 9)))
                if not data:
                    break
            with self.subTest(name=name):
                try:
                    GGUF(self.convert(whole | {name: bytes(data)}))
                    self.output.unlink()
                except Unusable as error:
                    refused += 1
                    self.assertRegex(str(error), r"^\S.*[^.\n]$")
                self.assertEqual(list(self.results.iterdir()), [])
        self.assertGreater(refused, count // 4)

    def test_a_failure_leaves_the_file_that_was_there(self):
        self.output.write_bytes(b"before")
        with self.assertRaises(Unusable):
            self.convert(files() | {"model.bin": b""})
        self.assertEqual([self.output.read_bytes(), *self.results.iterdir()], [b"before", self.output])

    def test_a_full_disk_leaves_nothing(self):
        self.write(files())
        with mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")), self.assertRaises(Unusable) as caught:
            whisper_to_gguf.convert(str(self.model), str(self.output))
        self.assertEqual(str(caught.exception), f"{self.output} can't be written: No space left on device")
        self.assertEqual(list(self.results.iterdir()), [])

    def test_the_program_says_in_one_line_what_is_wrong(self):
        run = subprocess.run([sys.executable, "-B", SCRIPT, self.model, self.output], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (65, ""))
        self.assertEqual(run.stderr, f"whisper-to-gguf: {self.model}/model.bin can't be read: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
