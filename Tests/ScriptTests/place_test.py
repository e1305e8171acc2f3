"""`make place`, which lets a checkout that was moved or copied build again."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class PlaceTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.first, self.second = Path(folder.name, "first"), Path(folder.name, "a second")
        self.first.mkdir()
        shutil.copy(ROOT / "Makefile", self.first)
        self.make(self.first)
        (self.first / ".build/x86_64-unknown-linux-gnu/release/ModuleCache").mkdir(parents=True)

    def make(self, folder):
        subprocess.run(["make", "--no-print-directory", "place"], cwd=folder, check=True)

    def caches(self, folder):
        return [path.parent.name for path in folder.glob(".build/*/*/ModuleCache")]

    def test_compiled_modules_stay_where_they_were_made(self):
        self.make(self.first)
        self.assertEqual(self.caches(self.first), ["release"])

    def test_in_a_copy_they_go_and_nothing_else(self):
        (self.first / ".build/x86_64-unknown-linux-gnu/release/utter").touch()
        shutil.copytree(self.first, self.second)
        self.make(self.second)
        self.assertEqual(self.caches(self.second), [])
        self.assertTrue((self.second / ".build/x86_64-unknown-linux-gnu/release/utter").exists())
        self.assertEqual(self.caches(self.first), ["release"])


if __name__ == "__main__":
    unittest.main()
