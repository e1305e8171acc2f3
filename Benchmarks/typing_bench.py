#!/usr/bin/env python3
"""Dictates with `utter type` into a real text field of a real X server or Wayland compositor, and counts what arrives.

  typing_bench.py [--stress N] [--window xterm|gtk|firefox|foot|sway-gtk] [--engine vosk|tiny.en] [--volatile]
                 [--seed N] [--keep FOLDER] [--utter PROGRAM]
  typing_bench.py --latency N [--utter PROGRAM]

Everything is its own, in a temporary folder: Xvfb, PulseAudio, the window (xterm, a text field of GTK 3, or a page in Firefox), and utter's
files. foot is a terminal under sway, without a screen, where wtype types, and sway-gtk the text field there; sway does not run as root.

--stress N, 1000 unless given: so many utterances of three digits are spoken, one soon after the other. The hotkey is pressed at random
times, and one press in eight cancels. At random times the process that serves, the program that types or the process that listens is
killed with SIGKILL. A user who sees that a text waits looks at the window, as typing.md asks: erases the part that has arrived, and has
it typed again, or drops it where it is there. Each time nothing goes on any more, the window must have the texts that came into the
queue since, each once and in order, and nothing else. Exit status 1 says that one was lost, doubled or out of order, that what was surely
heard did not come into the queue, that no kill explains a change of the clipboard, or that a command did not return.

  surely heard      begun after `begin` had returned, and over before the next press or kill
  kept              texts that were in the queue; one may be of several utterances
  asked about       waited because it may have been in the window already
  cancelled         was in the queue when `cancel` came; it may be typed or not

With --volatile, guesses are typed, too. What waits may then stand in the window as its guess, which may have other words. A guess that no
final text followed may be left behind by a kill of what serves or types, and by nothing else. What becomes final, --filter writes down.

In one text of four, `nine` is written as a word that the keyboard has not, so that it is pasted under X; the clipboard must be as before.

--latency N: from the end of speech, in the sound as the microphone has it, to the last character in the window; `utter type` beside
`utter listen --exec` with xdotool, in turn, both with whisper-tiny.en, and the pause or a command deciding.

  --window WINDOW   xterm unless given
  --engine ENGINE   vosk unless given: the model that decides. With tiny.en, BENCH_SECOND_PASS says where it is
  --volatile        have guesses typed
  --seed N          1 unless given: the times of keys and kills
  --keep FOLDER     leave what was said, kept and typed there
  --utter PROGRAM   UTTER_BINARY, or .build/release/utter, unless given
"""
import argparse
import array
import collections
import http.server
import json
import os
import queue
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import live
import natural_sound
import processes
import table

DIGITS = "zero one two three four five six seven eight nine".split()
PASTED = "dziewięć"
# What may stand in the window of a guess: PASTED may be its end, up to the first letter that the keyboard has not.
GUESS = "[a-z ]*?"
CLIPBOARD = "what was copied before"
KILL_EVERY = 7  # seconds, on average
PATIENCE = 60  # after so many seconds a command or a window hangs
EXEC = 'tr "\\n" " " | xdotool type --clearmodifiers --file -'


class Hang(Exception):
    pass


# --- The desk ---------------------------------------------------------------------------------------------------------------------

class Desk:
    """A display, a microphone and utter's folders."""

    # The program that types, and the word by which its arguments are known when it does.
    TYPIST, TYPES = "xdotool", "keyup"

    def __init__(self, folder, utter):
        self.folder, self.utter, self.children = folder, utter, []
        self.runtime = folder / "run"
        self.runtime.mkdir(mode=0o700)
        self.microphone = live.Microphone(folder)
        self.children += [self.microphone.keeper, self.microphone.server]
        self.mark = f"XDG_STATE_HOME={folder}/state"
        self.environment = dict(self.microphone.listener, XDG_RUNTIME_DIR=str(self.runtime), NO_AT_BRIDGE="1", GSETTINGS_BACKEND="memory",
                                XDG_CONFIG_HOME=str(folder / "config"), XDG_CACHE_HOME=str(folder / "cache"), LANG="C.UTF-8")
        self.show()

    def show(self):
        """Starts the display."""
        server = self.start("Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "800x600x24",
                            stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.environment["DISPLAY"] = ":" + server.stdout.readline().strip()

    def run(self, *words, **more):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=PATIENCE, **more)

    def start(self, *words, **more):
        child = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        self.children.append(child)
        return child

    def focus(self, title):
        self.run("xdotool", "search", "--sync", "--onlyvisible", "--name", f"^{title}$", "windowfocus", "--sync")

    def mark_end(self):
        """Types Ctrl-A, which comes after all that was typed before."""
        self.run("xdotool", "key", "ctrl+a")

    def erase(self, count):
        self.run("xdotool", "key", "--repeat", str(count), "--delay", "2", "BackSpace")

    def put(self, name, text):
        """Puts a text into a selection."""
        self.offer("xclip", "-selection", name, text=text)

    def offer(self, *words, text):
        # The program goes on in the background, so it gets no pipe of ours.
        subprocess.run(words, input=text.encode(), env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=PATIENCE, check=True)

    def selection(self, name):
        return self.answer("xclip", "-o", "-selection", name, "-t", "UTF8_STRING")

    def answer(self, *words):
        try:
            return self.run(*words).stdout
        except subprocess.TimeoutExpired:
            return "no answer"

    def own(self, *words):
        """The processes that utter has started here and that have one of these words among their arguments."""
        found, ours = [], {child.pid for child in self.children}
        for path in Path("/proc").glob("[0-9]*"):
            arguments = processes.read(path / "cmdline").split("\0")
            if int(path.name) not in ours and any(word in arguments for word in words):
                if self.mark in processes.read(path / "environ").split("\0"):
                    found.append(int(path.name))
        return found

    def served(self):
        """The process that serves; None where there is none."""
        return next(iter(self.own("serve")), None)

    def stop(self):
        for process in self.own("serve", "--listen-to-type", "listen", self.TYPIST, "xclip", "wl-copy", "begin", "end", "toggle"):
            end(process)
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(timeout=3)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


class Sway(Desk):
    """A desk with a Wayland compositor instead of an X server."""

    TYPIST, TYPES = "wtype", "-"

    def show(self):
        # The program that types makes a keyboard of its own, and the compositor a seat for it.
        configuration = self.folder / "sway"
        configuration.write_text("xwayland disable\nseat * fallback true\n")
        self.environment |= {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
        self.start("sway", "-c", str(configuration), stdout=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + PATIENCE
        while not (sockets := list(self.runtime.glob("sway-ipc.*.sock"))) or not (self.runtime / "wayland-1").exists():
            if time.monotonic() > deadline:
                raise Hang("sway does not start")
            time.sleep(0.05)
        self.environment |= {"SWAYSOCK": str(sockets[0]), "WAYLAND_DISPLAY": "wayland-1"}
        # Without any keyboard, a window would learn of the one of a program that types only with its first key, and miss that.
        self.start("wtype", "-s", str(10 ** 9))

    def focus(self, title):
        deadline = time.monotonic() + PATIENCE
        while self.run("swaymsg", f'[title="^{title}$"] focus').returncode != 0:
            if time.monotonic() > deadline:
                raise Hang("the window does not come")
            time.sleep(0.05)

    def mark_end(self):
        self.run("wtype", "-M", "ctrl", "a", "-m", "ctrl")

    def erase(self, count):
        # A program with GTK 3 does not know the last key of a keyboard, so another one follows.
        self.run("wtype", *["-k", "BackSpace"] * count, "-p", "VoidSymbol")

    def put(self, name, text):
        self.offer("wl-copy", *["--primary"] * (name == "primary"), text=text)

    def selection(self, name):
        return self.answer("wl-paste", "--no-newline", *["--primary"] * (name == "primary"))


def end(process):
    try:
        os.kill(process, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


class Terminal:
    """A terminal that writes what is typed into a file."""

    PROGRAM = ["xterm", "-u8", "-T", "field", "-e"]

    def __init__(self, desk):
        self.desk, self.file = desk, desk.folder / "typed"
        self.file.touch()
        desk.start(*self.PROGRAM, "sh", "-c", f"stty -icanon -echo; exec cat >> '{self.file}'")
        desk.focus("field")

    def text(self):
        """What stands there. A key that is typed now comes after all that was typed before."""
        before = self.file.read_bytes().count(b"\1")
        self.desk.mark_end()
        deadline = time.monotonic() + PATIENCE
        while self.file.read_bytes().count(b"\1") == before:
            if time.monotonic() > deadline:
                raise Hang("the window does not take keys any more")
            time.sleep(0.01)
        found = []
        for character in self.file.read_text(errors="replace"):
            if character in "\x7f\x08":
                del found[-1:]
            elif character != "\1":
                found.append(character)
        return "".join(found)


class Foot(Terminal):
    PROGRAM = ["foot", "--title=field", "--override=locked-title=yes"]


class Answering:
    """A window that says what stands there when Ctrl-A is pressed."""

    def wait(self):
        """Waits until it takes keys, which is some time after it is there."""
        deadline = time.monotonic() + PATIENCE
        while self.pressed(1) is None:
            if time.monotonic() > deadline:
                raise Hang("the window does not take keys")

    def text(self):
        if (text := self.pressed(PATIENCE)) is None:
            raise Hang("the window does not take keys any more")
        return text


class Field(Answering):
    """A text field of GTK 3, which writes what stands there into a file."""

    PROGRAM = """
import gi, os, sys
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk

def press(field, event):
    if event.keyval != Gdk.KEY_a or not event.state & Gdk.ModifierType.CONTROL_MASK: return False
    buffer = field.get_buffer()
    with open(sys.argv[1] + ".new", "w") as file: file.write(buffer.get_text(*buffer.get_bounds(), True))
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    return True

window, field = Gtk.Window(title="field"), Gtk.TextView()
field.connect("key-press-event", press)
window.add(field)
window.set_default_size(700, 500)
window.show_all()
Gtk.main()
"""

    def __init__(self, desk):
        self.desk, self.file = desk, desk.folder / "typed"
        # Debian's Python has what gives it GTK.
        desk.start("/usr/bin/python3", "-c", self.PROGRAM, str(self.file), stdout=subprocess.DEVNULL)
        desk.focus("field")
        self.wait()

    def pressed(self, seconds):
        """What stands there; None where no answer comes in time. A key that is typed now comes after all that was typed before."""
        self.file.unlink(missing_ok=True)
        self.desk.mark_end()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.file.exists():
                return self.file.read_text()
            time.sleep(0.01)
        return None


class Page(http.server.BaseHTTPRequestHandler):
    """A page with a text field, which posts what stands there when Ctrl-A is pressed."""

    PAGE = b"""<!DOCTYPE html><meta charset="utf-8"><title>field</title><textarea cols="80" rows="25" autofocus></textarea><script>
        const field = document.querySelector("textarea")
        document.onkeydown = event => {
            if (!event.ctrlKey || event.key != "a") return
            event.preventDefault()
            fetch("/", {method: "POST", body: field.value})
        }</script>"""

    def do_GET(self):
        self.answer(self.PAGE)

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(b"")
        self.server.posted.put(text)

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser(Answering):
    """A text field on a page that Firefox shows."""

    def __init__(self, desk):
        self.desk = desk
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        server.posted = self.posted = queue.Queue()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        profile = desk.folder / "profile"
        profile.mkdir()
        (profile / "user.js").write_text("".join(
            f'user_pref("{name}", {value});\n' for name, value in [
                ("browser.aboutwelcome.enabled", "false"), ("datareporting.policy.dataSubmissionEnabled", "false"),
                ("browser.shell.checkDefaultBrowser", "false"), ("app.update.enabled", "false")]))
        desk.start("firefox-esr", "--no-remote", "--profile", str(profile), f"http://127.0.0.1:{server.server_address[1]}/",
                   stdout=subprocess.DEVNULL, start_new_session=True)
        desk.focus("field.*")
        self.wait()

    def pressed(self, seconds):
        """What stands there; None where no answer comes in time. A key that is typed now comes after all that was typed before."""
        self.desk.mark_end()
        try:
            return self.posted.get(timeout=seconds)
        except queue.Empty:
            return None


WINDOWS = {"xterm": Terminal, "gtk": Field, "firefox": Browser, "foot": Foot, "sway-gtk": Field}
UNDER_SWAY = ["foot", "sway-gtk"]


def start(text):
    """The pattern of a text, or of as much of its beginning as there is."""
    return "|".join(re.escape(text[:length]) for length in range(len(text), -1, -1))


# --- What is watched --------------------------------------------------------------------------------------------------------------

class Kept:
    """A text that came into the queue."""

    def __init__(self, name, text, dictation):
        self.name, self.text, self.dictation = name, text, dictation
        self.came, self.left, self.fate, self.reasons = time.monotonic(), None, None, []


class Queue(threading.Thread):
    """Remembers what comes into the queue, and when it leaves it."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.kept, self.unread, self.is_over = folder, {}, set(), False
        self.start()

    def run(self):
        while not self.is_over:
            self.look()
            time.sleep(0.003)

    def look(self):
        names = self.names()
        for name in sorted(names - self.kept.keys()):
            if record := self.record(name):
                payload = json.loads(record["payload"])
                self.kept[name] = Kept(name, payload["text"], payload["dictation"])
            else:
                self.unread.add(name)
        for name, one in list(self.kept.items()):
            if one.left is None and name not in names:
                one.left = time.monotonic()

    def names(self):
        try:
            return {name for name in os.listdir(self.folder) if name.endswith(".json") and name[0] != "."}
        except FileNotFoundError:
            return set()

    def record(self, name):
        try:
            return json.loads((self.folder / name).read_text())
        except FileNotFoundError:
            return None

    def waiting(self):
        """What is in the queue, the oldest first, with the text."""
        records = [self.record(name) for name in sorted(self.names())]
        return [dict(record, name=record["id"] + ".json") for record in records if record]


class Said:
    """An utterance that was spoken."""

    def __init__(self, words):
        self.words, self.start, self.end = words, None, None


class Speaker(threading.Thread):
    """Speaks one utterance after the other, as long as the user lets it."""

    def __init__(self, desk, count, dice):
        super().__init__(daemon=True)
        self.desk, self.count, self.dice, self.said, self.is_over = desk, count, dice, [], False
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def run(self):
        file = self.desk.folder / "said.wav"
        for number in range(self.count):
            # Each code is another, and none is like the one before.
            words = [DIGITS[int(digit)] for digit in f"{(number * 617 + 123) % 1000:03}"]
            subprocess.run(["flite", "-voice", "slt", "--setf", "duration_stretch=0.85", "-t", " ".join(words), "-o", file], check=True)
            self.may_go_on.wait()
            if self.is_over:
                return
            one = Said(words)
            one.start = time.monotonic()
            player = self.desk.microphone.playing(file)
            player.wait()
            one.end = time.monotonic()
            self.said.append(one)
            time.sleep(self.dice.uniform(0.1, 0.4))


class Killer(threading.Thread):
    """Kills one of utter's processes from time to time, half of the time while it types."""

    def __init__(self, desk, dice):
        super().__init__(daemon=True)
        self.desk, self.dice, self.kills, self.is_over = desk, dice, [], False

    def run(self):
        while not self.is_over:
            time.sleep(self.dice.expovariate(1 / KILL_EVERY))
            what = self.dice.choices(["serves", "types", "listens"], [5, 4, 1])[0]
            while_typing = what == "types" or self.dice.random() < 0.6
            server = self.desk.served()
            if not server or self.is_over:
                continue
            typing = self.typing(server) if while_typing else None
            # xdotool has typed 40 characters after half a tenth of a second.
            time.sleep(self.dice.uniform(0, 0.3 if what == "serves" else 0.05))
            victim = {"serves": server, "types": typing, "listens": self.child(server, "--listen-to-type")}[what]
            if victim and end(victim):
                self.kills.append((time.monotonic(), what, bool(typing)))

    def typing(self, server):
        """The program that types; waits some seconds for one."""
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline and not self.is_over:
            # Each xdotool that types begins with releasing the modifiers; wtype reads the text from its input.
            if found := self.child(server, self.desk.TYPES):
                return found
            time.sleep(0.002)
        return None

    def child(self, server, word):
        """A process that the server has started with this word among its arguments."""
        try:
            tree = processes.tree(server)
        except FileNotFoundError:  # it has just ended
            return None
        return next((one for one in tree[1:] if word in processes.read(f"/proc/{one}/cmdline").split("\0")), None)


# --- The user ---------------------------------------------------------------------------------------------------------------------

class User:
    """Presses the hotkey, and decides about what waits."""

    def __init__(self, options, desk, window):
        self.desk, self.window, self.dice = desk, window, random.Random(options.seed)
        self.queue = Queue(desk.folder / "state/utter/typing")
        self.speaker = Speaker(desk, options.stress, random.Random(options.seed + 1))
        self.killer = Killer(desk, random.Random(options.seed + 2))
        self.options = ["--model", live.TINY, "--endpoint-silence", "0.3", "--rules", "none", "--replacements", str(desk.folder / "words"),
                        "--second-pass", live.SECOND if options.engine == "tiny.en" else "none"]
        self.is_guessing = options.volatile
        self.finals, self.read_finals = desk.folder / "finals", 0
        self.finals.touch()
        if options.volatile:
            note = f"tr '\\n' ' ' < /proc/uptime >> '{self.finals}'; tee -a '{self.finals}'; echo >> '{self.finals}'"
            self.options += ["--volatile", "--filter", note]
        (desk.folder / "words").write_text(f"nine = {PASTED}\n")
        self.answers, self.slowest, self.errors = collections.Counter(), collections.Counter(), collections.Counter()
        self.intervals, self.cancels, self.background = [], [], []
        self.settled, self.count, self.defects, self.changes, self.rested = "", collections.Counter(), [], [], 0.0
        self.checked = set()

    def press(self, action, *options, waits=True):
        if not waits:
            child = subprocess.Popen([self.desk.utter, "type", action, *options], env=self.desk.environment, stderr=subprocess.PIPE, text=True)
            self.background.append((child, action, time.monotonic()))
            return None
        begin = time.monotonic()
        try:
            done = self.desk.run(self.desk.utter, "type", action, *options)
        except subprocess.TimeoutExpired:
            raise Hang(f"utter type {action} did not return") from None
        return self.note(action, done.returncode, done.stderr, time.monotonic() - begin)

    def note(self, action, status, errors, took):
        self.answers[action, status] += 1
        if errors:
            self.errors[errors.strip().removeprefix("utter: ")] += 1
        self.slowest[action] = max(self.slowest[action], took)
        return status

    def collect(self):
        """Waits for the commands in the background."""
        for child, action, begin in self.background:
            try:
                errors = child.communicate(timeout=PATIENCE)[1]
            except subprocess.TimeoutExpired:
                child.kill()
                raise Hang(f"utter type {action} did not return") from None
            # It may have returned long ago, so how long it took is not known.
            self.note(action, child.returncode, errors, 0)
        self.background = []

    def status(self):
        return json.loads(self.desk.run(self.desk.utter, "status", "--json").stdout)

    def work(self):
        self.desk.put("clipboard", CLIPBOARD)
        self.speaker.start()
        self.killer.start()
        while self.speaker.is_alive():
            if self.status()["waiting"] or self.dice.random() < 0.1:
                self.settle()
            self.dictate()
        self.killer.is_over = True
        self.killer.join()
        self.settle()
        self.press("stop")

    def dictate(self):
        status = self.press(self.dice.choice(["begin", "begin", "toggle"]), *self.options)
        # Where a kill had ended the dictation before, a toggle began one and this one ends it.
        if status != 0 or self.status()["state"] != "listening":
            return
        begin = time.monotonic()
        time.sleep(self.dice.choice([self.dice.uniform(0, 0.5), *[self.dice.uniform(1, 14)] * 5]))
        action = self.dice.choices(["end", "toggle", "cancel"], [5, 2, 1])[0]
        pressed = time.monotonic()
        self.intervals.append([begin, pressed, "cancelled" if action == "cancel" else "surely heard"])
        if action == "cancel":
            for one in self.intervals[-1 - len(self.background):-1]:
                one[2] = "cancelled"
        waits = action == "cancel" or self.dice.random() < 0.7
        self.press(action, *(self.options if action == "toggle" else []), waits=waits)
        if action == "cancel":
            self.cancels.append((pressed, time.monotonic()))

    # --- What waits -----------------------------------------------------------------------------------------------------------------

    def settle(self):
        """Ends everything, compares the window with the queue, and has typed what waits."""
        self.speaker.may_go_on.clear()
        self.rest()
        parts = self.compare()
        while waiting := self.queue.waiting():
            self.decide(waiting, parts)
            self.rest()
            parts = self.compare()
        self.speaker.may_go_on.set()

    def rest(self):
        """Returns when nothing is heard or typed any more."""
        self.press("end")
        self.collect()
        deadline = time.monotonic() + PATIENCE
        while not self.is_resting():
            if time.monotonic() > deadline:
                raise Hang(f"what was said is neither typed nor waits: {self.status()}")
            time.sleep(0.05)
        clipboard = self.desk.selection("clipboard")
        if clipboard != CLIPBOARD:
            # Only a kill while a text was pasted explains that.
            self.count["clipboard changed", self.was_killed_pasting()] += 1
            self.changes.append(f"{time.monotonic():.2f} the clipboard holds {clipboard!r}")
            self.desk.put("clipboard", CLIPBOARD)
        self.last_rest, self.rested = self.rested, time.monotonic()

    def was_killed_pasting(self):
        kills = [when for when, *_ in self.killer.kills if when > self.rested]
        return any(PASTED in one.text and one.came < when < (one.left or 1e12) for one in self.queue.kept.values() for when in kills)

    def is_resting(self):
        status = self.status()
        if status["state"] in ("starting", "listening"):
            # A toggle has begun one where a kill, or a command that came before it, had ended the one before.
            self.press("end")
            return False
        if status["state"] != "idle" or self.desk.own("--listen-to-type", self.desk.TYPIST):
            return False
        return status["waiting"] == len(self.queue.names())

    def compare(self):
        """Compares what is new in the window with what came into the queue. Returns what has arrived of those that are asked about."""
        text = self.window.text()
        self.queue.look()
        waiting = {record["name"]: record for record in self.queue.waiting()}
        fresh = [one for name, one in sorted(self.queue.kept.items()) if name not in self.checked]
        pattern, asked, missed = "", [], self.missed(fresh)
        left = f"(?P<left>{GUESS})" if self.may_leave_guess() else ""
        for number, one in enumerate(fresh):
            pattern += missed[number] + left.replace("left", f"left{number}")
            record = waiting.get(one.name)
            if record is None:
                one.fate = "cancelled" if self.was_cancelled(one) else one.fate or "typed at once"
                part = start(one.text) if self.was_killed(one) else f"{re.escape(one.text)}|"
                pattern += f"(?:{part})" if one.fate == "cancelled" else re.escape(one.text)
                self.checked.add(one.name)
                continue
            reason = record.get("lastError", "the process that types had ended")
            one.reasons.append(reason)
            if record.get("mayHaveArrived") or "a part may be" in reason or self.has_guess(one):
                pattern += f"(?P<asked{len(asked)}>{start(one.text)}{f'|{GUESS}' if self.is_guessing else ''})"
                asked.append(one.name)
                one.fate = "asked about, then typed"
            else:
                one.fate = one.fate or "waited, then typed"
        match = re.fullmatch(pattern + missed[-1] + left, text[len(self.settled):]) if text.startswith(self.settled) else None
        groups = match.groupdict() if match else {}
        guesses = [guess for name, guess in groups.items() if name.startswith("left") and guess]
        self.count["guess left"] += len(guesses)
        typed = [one.text.strip() for one in fresh if one.name not in waiting]
        if not match or any(one in guess for one in typed for guess in guesses):
            self.explain(text, fresh, waiting)
        self.settled = text
        for name, found in groups.items():
            if name.startswith("missed") and found:
                one = Kept(f"~{name}", found, "not seen in the queue")
                one.came, one.left, one.fate = float(name[6:].replace("_", ".")), one.came, "typed before the benchmark saw it"
                self.queue.kept[one.name] = one
                self.checked.add(one.name)
        return {name: groups[f"asked{number}"] for number, name in enumerate(asked)} if match else {}

    def missed(self, fresh):
        """The patterns of texts that may have been in the queue unseen, before each one that was seen and at the end: a text leaves the queue
        at once where its guess stands in the window already."""
        missed, lines = [""] * (len(fresh) + 1), list(filter(None, self.finals.read_text().splitlines()))
        number = 0
        for line in lines[self.read_finals:]:
            uptime, _, text = line.split(" ", 2)
            if number < len(fresh) and text == fresh[number].text.strip():
                number += 1
            elif f"<missed{uptime.replace('.', '_')}>" not in "".join(missed):
                missed[number] += f"(?P<missed{uptime.replace('.', '_')}> ?{re.escape(text)})?"
        self.read_finals = len(lines)
        return missed

    def has_guess(self, one):
        """Whether there is the mark that a guess of its dictation may be in the window."""
        return (self.queue.folder / f"{one.dictation}.guess").exists()

    def may_leave_guess(self):
        """Whether a kill may have left a guess in the window of which nothing became final."""
        return self.is_guessing and any(what != "listens" and when > self.last_rest - 1 for when, what, _ in self.killer.kills)

    def was_killed(self, one):
        return any(what == "types" and one.came < when < one.left + 1 for when, what, _ in self.killer.kills)

    def was_cancelled(self, one):
        return any(one.came <= end + 0.2 and one.left >= begin - 0.05 for begin, end in self.cancels)

    def explain(self, text, fresh, waiting):
        """Writes down what is wrong."""
        new = text[len(self.settled):] if text.startswith(self.settled) else f"(what was there has changed) {text[-300:]}"
        typed = [one.text for one in fresh if one.name not in waiting and one.fate != "cancelled"]
        kinds = {"lost" if text not in new else "doubled" for text in typed if new.count(text) != 1}
        if not kinds:
            kinds = {"with something else" if re.search(".*?".join(map(re.escape, typed)), new, re.DOTALL) else "out of order"}
        for kind in kinds:
            self.count["defect", kind] += 1
        lines = [f"{one.came:.2f}–{one.left or 0:.2f} {one.fate}: {one.text!r} {one.reasons}" for one in fresh]
        now = time.monotonic()
        since = (fresh[0].came if fresh else now) - 20
        kills = [f"{when:.2f} {what}{', while it typed' if typing else ''}" for when, what, typing in self.killer.kills if when > since]
        cancels = [f"{begin:.2f}" for begin, end in self.cancels if end > since]
        self.defects.append(f"{' and '.join(sorted(kinds))}: at {now:.2f} the window has {new!r}, the queue had\n    " + "\n    ".join(lines)
                            + f"\n  killed: {'; '.join(kills)}; cancelled: {', '.join(cancels)}; rested before at {self.last_rest:.2f}")
        table.say(self.defects[-1])

    def decide(self, waiting, parts):
        """What a user does who sees that texts wait: `parts` of the window belong to some of them."""
        last = waiting[-1]["name"] if waiting[-1]["name"] in parts else None
        if len(waiting) == 1 and last and parts[last] == self.queue.kept[last].text:
            self.press("drop")
            if not self.queue.names():
                self.queue.kept[last].fate = "asked about, and there"
                self.checked.add(last)
            return
        # What has arrived of the first is the end of what the window has, unless a later dictation was typed behind it.
        arrived = "".join(parts.values())
        if arrived and self.settled.endswith(arrived):
            self.desk.erase(len(arrived))
            self.settled = self.settled[:-len(arrived)]
        self.press("again")


# --- What is printed --------------------------------------------------------------------------------------------------------------

def judge(user):
    """What became of each utterance, and the lists of those that were surely heard and are not among the texts word for word."""
    texts = sorted(user.queue.kept.values(), key=lambda one: one.name)
    answer, odd = collections.Counter(), []
    for said in user.speaker.said:
        kind = heard(user, said)
        if kind == "surely heard":
            near = " | ".join(one.text.strip() for one in texts if said.start < one.came < said.end + 20)
            if " ".join(said.words) in plain(near):
                kind += ", and kept word for word"
            else:
                close = [one.text for one in texts if said.start + 0.5 < one.came < said.end + 5]
                kind += ", and kept with another word" if close else ", and not kept"
                odd.append(f"{kind}: {' '.join(said.words)} at {said.start:.2f}–{said.end:.2f}; near it: {close or near}")
        answer[kind] += 1
    return answer, odd


def plain(text):
    """The words, whether they are written in digits or not."""
    text = re.sub(r"\d", lambda digit: f" {DIGITS[int(digit[0])]} ", text.lower().replace(PASTED, "nine"))
    return " ".join(re.findall("[a-z]+", text))


def heard(user, said):
    for begin, end, kind in user.intervals:
        kills = [(when, what) for when, what, _ in user.killer.kills if begin - 0.5 < when and what != "types"]
        ends = [end, *[when for when, what in kills if what == "serves"]]
        if begin <= said.start and said.end <= end:
            if any(what == "listens" and when < end + 2 for when, what in kills):
                return "in a dictation whose listening process was killed"
            if said.end + 0.3 < min(ends):
                return kind
            return "as the key was pressed" if min(ends) == end else "after the process that serves was killed, or at that moment"
    return "while nobody listened, or cut by a key"


def out_of_order(user):
    """How many texts came into the queue before what was said earlier in the same dictation."""
    codes = {" ".join(said.words): (number, said.end) for number, said in enumerate(user.speaker.said)}
    last, wrong = {}, 0
    for _, one in sorted(user.queue.kept.items()):
        number, spoken = codes.get(plain(one.text), (None, 0))
        # What was misheard may be the code of another time.
        if number is not None and abs(one.came - spoken) < 10:
            wrong += number < last.get(one.dictation, -1)
            last[one.dictation] = number
    return wrong


def report(user, options, seconds):
    said, odd = judge(user)
    kept = collections.Counter(one.fate or "and in the queue at the end" for one in user.queue.kept.values())
    table.say(f"{options.window}, {options.engine}{', with guesses' if options.volatile else ''}, seed {options.seed}: {len(user.speaker.said)} utterances in {seconds / 60:.0f} minutes")
    table.line("What", "Count")
    table.line("---", "---")
    for kind, count in said.most_common():
        table.line(f"said {kind}" if "heard" not in kind else kind, str(count))
    table.line("texts kept", str(len(user.queue.kept)))
    for kind, count in kept.most_common():
        table.line(f"kept, {kind}", str(count))
    for kind in ("lost", "doubled", "out of order", "with something else"):
        table.line(f"places where a text is {kind}", str(user.count["defect", kind]))
    if options.volatile:
        table.line("guesses left in the window by a kill", str(user.count["guess left"]))
    table.line("kept in another order than said", str(out_of_order(user)))
    table.line("kept, but not read by the benchmark in time", str(len(user.queue.unread - user.queue.kept.keys())))
    for (what, typing), count in sorted(collections.Counter(one[1:] for one in user.killer.kills).items()):
        table.line(f"killed: what {what}{', while it typed' if typing else ''}", str(count))
    for reason, count in sorted(collections.Counter(reason for one in user.queue.kept.values() for reason in one.reasons).items()):
        table.line(f"waited: {reason}", str(count))
    table.line("clipboard changed, and a kill while a text was pasted explains it", str(user.count["clipboard changed", True]))
    table.line("clipboard changed without that", str(user.count["clipboard changed", False]))
    for (action, status), count in sorted(user.answers.items()):
        table.line(f"`utter type {action}` with exit status {status}", str(count))
    table.say("")
    for text, count in user.errors.most_common():
        table.say(f"{count} × {text}")
    table.say("Slowest: " + ", ".join(f"{action} {took:.1f} s" for action, took in sorted(user.slowest.items())))
    for line in odd + user.changes:
        table.say(line)
    table.say(f"The clipboard is {'as before' if user.desk.selection('clipboard') == CLIPBOARD else 'another'} at the end.")


def stress(options, desk):
    begin = time.monotonic()
    user = User(options, desk, WINDOWS[options.window](desk))
    try:
        user.work()
    except Hang as hang:
        user.count["hang"] += 1
        table.say(f"hang: {hang}")
    finally:
        user.speaker.is_over = user.killer.is_over = user.queue.is_over = True
        user.speaker.may_go_on.set()
        report(user, options, time.monotonic() - begin)
        if options.keep:
            keep(user, Path(options.keep))
    lost = judge(user)[0]["surely heard, and not kept"]
    return 1 if user.defects or user.count["hang"] or user.count["clipboard changed", False] or lost or out_of_order(user) else 0


def keep(user, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "typed").write_text(user.settled)
    (folder / "kept").write_text("".join(f"{one.came:.3f}\t{one.left or 0:.3f}\t{one.dictation[:8]}\t{one.fate}\t{one.text}\t{one.reasons}\n"
                                         for _, one in sorted(user.queue.kept.items())))
    (folder / "said").write_text("".join(f"{one.start:.3f}\t{one.end:.3f}\t{' '.join(one.words)}\n" for one in user.speaker.said))
    (folder / "kills").write_text("".join(f"{when:.3f}\t{what}\t{typing}\n" for when, what, typing in user.killer.kills))
    (folder / "dictations").write_text("".join(f"{begin:.3f}\t{end:.3f}\t{kind}\n" for begin, end, kind in user.intervals))


# --- Latency ----------------------------------------------------------------------------------------------------------------------

class Ears(threading.Thread):
    """Hears the microphone, and remembers when something was loud."""

    def __init__(self, desk):
        super().__init__(daemon=True)
        self.child = desk.start("parec", "--raw", "--format=s16le", "--rate=16000", "--channels=1", "--latency-msec=10",
                                "--device=microphone.monitor", stdout=subprocess.PIPE)
        self.threshold, self.first, self.last = 1e9, None, 0.0
        self.start()

    def run(self):
        while piece := self.child.stdout.read(320):
            sound = array.array("h", piece)
            if sum(value * value for value in sound) / len(sound) > self.threshold ** 2:
                self.last = time.monotonic()
                self.first = self.first or self.last


def begins(desk, way):
    options = ["--model", live.TINY, "--second-pass", live.SECOND]
    if way == "type":
        desk.run(desk.utter, "type", "begin", *options, check=True)
        return None
    child = desk.start(desk.utter, "listen", "-q", "--format", "jsonl", "--event", "status", "--exec", EXEC, *options,
                       stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if json.loads(line).get("state") == "listening":
            return child
    raise Hang("utter listen did not begin to listen")


def once(desk, ears, file, way, decides):
    """Seconds from the end of speech to the last character."""
    typed = desk.folder / "typed"
    before = typed.stat().st_size
    sound = natural_sound.samples(file)
    first, last = natural_sound.loud_part(sound)
    child = begins(desk, way)
    ears.threshold, ears.first = max(map(abs, sound)) / 20, None
    player = desk.microphone.playing(file)
    while ears.first is None:
        time.sleep(0.002)
    # A hand is no faster.
    time.sleep(max(0, ears.first + (last - first) / natural_sound.RATE + 0.05 - time.monotonic()))
    stop = ends(desk, way, child) if decides == "command" else None
    player.wait()
    size, changed = before, None
    while True:
        time.sleep(0.002)
        now = time.monotonic()
        if typed.stat().st_size != size:
            size, changed = typed.stat().st_size, now
        if changed and now - max(changed, ears.last) > 1.5 or now - ears.last > 20:
            break
    heard = ears.last
    (stop or ends(desk, way, child)).wait(timeout=PATIENCE)
    if changed is None:
        return None
    return changed - heard


def ends(desk, way, child):
    if way == "type":
        return desk.start(desk.utter, "type", "end")
    child.send_signal(signal.SIGINT)
    return child


def latency(options, desk):
    Terminal(desk)
    ears = Ears(desk)
    files = []
    for number, (voice, phrases) in enumerate(natural_sound.HESITANT):
        sound = natural_sound.spoken(voice, " ".join(phrases), desk.folder)
        files.append(natural_sound.write(desk.folder / f"sentence-{number}.wav", sound))
    kinds = [(way, decides) for decides in ("pause", "command") for way in ("type", "exec")]
    found = {kind: [] for kind in kinds}
    for number in range(options.latency):
        for kind in kinds:
            found[kind].append(once(desk, ears, files[number % len(files)], *kind))
    table.say(f"{options.latency} sentences each, in turn, load {os.getloadavg()[0]:.1f} at the end")
    table.line("From the end of speech to the last character", "Median", "Worst", "Nothing typed")
    table.line(*["---"] * 4)
    names = {"type": "utter type", "exec": "utter listen --exec"}
    texts = {"pause": "the pause decides", "command": "the end of the dictation, at the end of speech"}
    for (way, decides), values in found.items():
        there = [value for value in values if value is not None]
        table.line(f"`{names[way]}`, {texts[decides]}", f"{statistics.median(there):.2f} s" if there else table.NOTHING,
                   f"{max(there):.2f} s" if there else table.NOTHING, str(len(values) - len(there)))
    desk.run(desk.utter, "type", "stop")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.strip())
    parser.add_argument("--stress", type=int, default=1000)
    parser.add_argument("--latency", type=int, nargs="?", const=30)
    parser.add_argument("--window", choices=WINDOWS, default="xterm")
    parser.add_argument("--engine", choices=["vosk", "tiny.en"], default="vosk")
    parser.add_argument("--volatile", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--utter", default=live.UTTER)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="utter-typing.") as folder:
        desk = (Sway if options.window in UNDER_SWAY else Desk)(Path(folder), os.path.abspath(options.utter))
        try:
            status = latency(options, desk) if options.latency else stress(options, desk)
        finally:
            desk.stop()
    sys.exit(status)


if __name__ == "__main__":
    main()
