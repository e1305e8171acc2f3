"""Models/second-pass.json, as Models/README.md describes it."""
import json
import re
import unittest
from pathlib import Path

ENTRIES = json.loads((Path(__file__).resolve().parents[2] / "Models" / "second-pass.json").read_text())


class SecondPassCatalogTests(unittest.TestCase):
    def test_each_entry_is_complete(self):
        for entry in ENTRIES:
            with self.subTest(name=entry.get("name")):
                self.assertRegex(entry["name"], r"^[a-z0-9][a-z0-9._-]+$")
                self.assertEqual((entry["pass"], entry["format"], entry["quantization"]), ("second", "gguf", "Q8_0"))
                self.assertIn(entry["times"], ("none", "segment", "word", "token"))
                self.assertIn(entry["family"], ("canary", "parakeet", "moonshine_streaming", "whisper", "sensevoice"))
                self.assertRegex(entry["sha256"], r"^[0-9a-f]{64}$")
                self.assertGreater(entry["size"], 40_000_000)
                # A revision, and not what the newest one may be.
                self.assertRegex(entry["url"], r"^https://huggingface\.co/[\w.-]+/[\w.-]+/resolve/[0-9a-f]{40}/[\w.-]+-Q8_0\.gguf$")
                self.assertEqual(entry["lang"], entry["languages"][0] if len(entry["languages"]) == 1 else "all")
                self.assertTrue(all(re.fullmatch("[a-z]{2,3}", code) for code in entry["languages"]))
                self.assertTrue(entry["license"] and entry["description"])

    def test_each_figure_has_its_source(self):
        for entry in ENTRIES:
            with self.subTest(name=entry["name"]):
                for figure in [*entry["error_rates"], entry["speed"]]:
                    self.assertRegex(figure["source"], rf"^https://github\.com/.*/[0-9a-f]{{40}}/.*/{re.escape(entry['name'])}\.md$")
                words = [rate["percent"] for rate in entry["error_rates"] if rate["unit"] == "words"]
                self.assertIn(f"Word error rate {words[0]} % (LibriSpeech clean)", entry["description"])
                self.assertTrue(all(0 < rate["percent"] < 15 for rate in entry["error_rates"]))

    def test_nothing_is_listed_twice(self):
        for member in ("name", "sha256", "url", "size"):
            self.assertEqual(len({entry[member] for entry in ENTRIES}), len(ENTRIES), member)


if __name__ == "__main__":
    unittest.main()
