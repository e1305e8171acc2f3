"""Benchmarks/quality.py: which recordings it finds, and what it makes of what commands write."""
import os
import subprocess
import sys
import tempfile
import unittest
import wave
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Benchmarks"))
import quality  # noqa: E402
import scoring  # noqa: E402


class QualityTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def recording(self, path, rate=16000):
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1), file.setsampwidth(2), file.setframerate(rate)
            file.writeframes(bytes(rate // 5))
        return path

    def test_a_folder_in_the_layout_of_librispeech(self):
        first, second = (self.recording(self.folder / f"84/121123/84-121123-000{number}.wav") for number in (0, 1))
        (first.parent / "84-121123.trans.txt").write_text("84-121123-0000 GO DO YOU HEAR\n84-121123-0001 Yes, he said.\n")
        self.assertEqual(quality.recordings_in(self.folder), [
            quality.Recording(str(first), "go do you hear", None), quality.Recording(str(second), "Yes, he said.", "Yes, he said.")])

    def test_a_folder_with_a_table(self):
        (self.folder / "transcripts.tsv").write_text('file\tspeaker\ttranscript\twritten\na.wav\tx\the said "yes\tHe said "yes.\nb.wav\tx\tno\t\n')
        self.assertEqual(quality.recordings_in(self.folder), [
            quality.Recording(f"{self.folder}/a.wav", 'he said "yes', 'He said "yes.'), quality.Recording(f"{self.folder}/b.wav", "no", None)])

    def test_what_is_missing_is_said(self):
        with self.assertRaisesRegex(SystemExit, "neither a transcripts.tsv nor LibriSpeech's"):
            quality.recordings_in(self.folder)
        (self.folder / "1.trans.txt").write_text("1-1 YES\n")
        with self.assertRaisesRegex(SystemExit, "names 1-1, and there is no such recording beside it"):
            quality.recordings_in(self.folder)

    def test_a_recording_of_another_rate_is_converted(self):
        recording = quality.Recording(str(self.recording(self.folder / "a.wav", 8000)), "x", None)
        with wave.open(quality.converted(recording, self.folder, 1).path) as file:
            self.assertEqual((file.getframerate(), file.getnframes()), (16000, 1600))
        ready = recording._replace(path=str(self.recording(self.folder / "b.wav")))
        self.assertEqual(quality.converted(ready, self.folder, 2), ready)

    def test_commands_get_one_recording_or_all(self):
        self.assertEqual(quality.texts(["echo", "the  text of\n", "{file}."], ["a", "b"]), ["the text of a.", "the text of b."])
        script = 'for file; do printf "%s\\tis %s\\n" "$file" "$file"; done'
        self.assertEqual(quality.texts(["sh", "-c", script, "sh", "{files}"], ["b", "a"]), ["is b", "is a"])
        with self.assertRaisesRegex(SystemExit, "has written nothing about a"):
            quality.texts(["true", "{files}"], ["a"])
        with self.assertRaisesRegex(SystemExit, "ended with 3: oh"):
            quality.texts(["sh", "-c", "echo oh >&2; exit 3", "{file}"], ["a"])

    def test_both_kinds_of_errors_are_counted(self):
        recordings = [quality.Recording("one two", "one two", None), quality.Recording("Yes, he said.", "yes he said", "Yes, he said!")]
        spoken, written = quality.measure("x", recordings, ["echo", "{file}"], False)
        self.assertEqual((spoken, written), (scoring.Errors(words=5), scoring.Errors(1, 1, 0, 0, 5)))

    @unittest.skipUnless(quality.MODEL.exists(), "Scripts/setup could not make the model of the second pass")
    def test_the_second_pass_writes_sentences(self):
        if not quality.LIBRIVOX.exists():
            self.skipTest("pocketsphinx-testdata is not installed")
        recording = str(quality.LIBRIVOX / "sense_and_sensibility_01_austen_64kb-0930.wav")
        command = [sys.executable, "-B", str(quality.ROOT / "Benchmarks/second_pass.py"), str(quality.MODEL), "{files}"]
        # What is the library's own in the environment is left aside.
        with mock.patch.dict(os.environ, TRANSCRIBE_DUMP_DIR=str(self.folder)):
            self.assertEqual(quality.texts(command, [recording]), ["He might even have been made amiable himself."])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_model_that_is_damaged_gives_a_sentence(self):
        (self.folder / "model.gguf").write_bytes(b"GGUF")
        run = subprocess.run([sys.executable, "-B", quality.ROOT / "Benchmarks/second_pass.py", self.folder / "model.gguf", "x"],
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (1, "", 1))


if __name__ == "__main__":
    unittest.main()
