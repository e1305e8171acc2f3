#!/usr/bin/env python3
"""Prints how a meeting of two sources is written that is heard live, and of which it is known who speaks when.

  meeting.py [--minutes N] [--ppm N] [--utter PROGRAM] [--keep FOLDER] [-- OPTION…]

One speaker reads sentences of LibriVox, the other is flite's. They take turns, with pauses of 0.3 to 1.5 s; one turn in five begins before the
other has ended. Each is a source of a PulseAudio of its own, whose clock is as fast as the rate at which it is written to: one is --ppm
parts in a million fast, the other as slow. In the middle the second is unplugged for 20 s.

  --minutes N       60 unless given
  --ppm N           100 unless given
  --utter PROGRAM   UTTER_BINARY, or .build/release/utter, unless given
  --keep FOLDER     leave what was heard and written there
  -- OPTION…        options for utter listen

Printed: turns in order (of all pairs that follow each other), where lines begin, in the first and in the last quarter, wrong words, live and
of the saved sound, what is lost and added, and the memory of all processes (PSS), in the first and in the last quarter.
"""
import argparse
import array
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import natural_sound
import processes
import scoring
import table

RATE = natural_sound.RATE
NAMES = ["reader", "machine"]


class Turn(NamedTuple):
    speaker: int
    start: float
    end: float
    said: str


class Server:
    """A PulseAudio with two sources, each of which has what is written into a pipe."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(folder), PULSE_RUNTIME_PATH=str(folder / "pulse"), HOME=str(folder),
                                XDG_DATA_HOME=str(folder / "data"), XDG_CONFIG_HOME=str(folder / "config"), LC_ALL="C.UTF-8")
        self.environment.pop("PULSE_SERVER", None)
        self.modules = {}
        subprocess.run(["pulseaudio", "-n", "--daemonize=yes", "--exit-idle-time=-1", "--load=module-native-protocol-unix"],
                       env=self.environment, check=True, stderr=subprocess.DEVNULL)

    def pactl(self, *words):
        return subprocess.run(["pactl", *words], env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def plug(self, name):
        self.modules[name] = self.pactl("load-module", "module-pipe-source", f"source_name={name}", f"file={self.folder / name}",
                                        "format=s16le", f"rate={RATE}", "channels=1")
        return os.open(self.folder / name, os.O_WRONLY | os.O_NONBLOCK)

    def unplug(self, name):
        self.pactl("unload-module", self.modules.pop(name))

    def stop(self):
        subprocess.run(["pulseaudio", "--kill"], env=self.environment, check=False)


def trimmed(sound):
    first, last = natural_sound.loud_part(sound)
    return sound[first:last]


def turns(seconds, gap, folder):
    """The turns with their sound; none of the second speaker is in the gap."""
    dice = random.Random(30)
    read = [(trimmed(sound), said) for sound, said, _ in natural_sound.read_sentences()]
    texts = [(voice, " ".join(phrases)) for voice, phrases in natural_sound.HESITANT]
    texts += [("rms", question) for question, _ in natural_sound.QUESTIONS]
    machine = [(trimmed(natural_sound.spoken(voice, text, folder)), text) for voice, text in texts]
    found, free = [], [2.0, 2.0]
    while max(free) < seconds - 12:
        speaker = dice.randrange(2) if found else 0
        if found and found[-1][0].speaker == speaker and dice.random() < 0.6:
            speaker = 1 - speaker
        sound, said = dice.choice([read, machine][speaker])
        length = len(sound) / RATE
        pause = -dice.uniform(0.5, 1) if found and found[-1][0].speaker != speaker and dice.random() < 0.2 else dice.uniform(0.3, 1.5)
        start = max(max(free) + pause, free[speaker] + 0.3)
        # What nobody can hear is no turn.
        if speaker == 1 and start < gap[1] and start + length > gap[0]:
            speaker, (sound, said) = 0, read[0]
            start, length = max(free) + 0.5, len(sound) / RATE
        found.append((Turn(speaker, start, start + length, said), sound))
        free[speaker] = start + length
    return found


def lay(found, speaker, rate, seconds):
    """One speaker's sound as a device with this rate has it."""
    line = array.array("h", bytes(2 * int(seconds * rate)))
    for turn, sound in found:
        if turn.speaker == speaker:
            place = round(turn.start * rate)
            line[place:place + len(sound)] = sound
    return line.tobytes()


def speak(server, name, sound, rate, begin, seconds, gap, first):
    """Writes the sound as its time comes, and unplugs the source in the gap."""
    pipe, done = first, 0
    while (now := time.monotonic() - begin) < seconds:
        inside = gap and gap[0] <= now < gap[1]
        if inside and pipe is not None:
            server.unplug(name)
            os.close(pipe)
            pipe = None
        elif pipe is None and not inside:
            pipe = server.plug(name)
        due = min(int(now * rate) * 2, len(sound))
        if pipe is not None and due > done:
            try:
                os.write(pipe, sound[done:due])
            except BlockingIOError:
                table.say(f"{name}: the server does not read")
        done = due
        time.sleep(0.01)
    if pipe is not None:
        os.close(pipe)


def hear(options, folder, found, gap):
    """Runs the meeting, and returns the events, the memory by time, and the messages."""
    server = Server(folder)
    seconds = options.minutes * 60
    rates = [RATE * (1 + sign * options.ppm / 1e6) for sign in (1, -1)]
    sounds = [lay(found, speaker, rate, seconds) for speaker, rate in enumerate(rates)]
    memory = []
    try:
        first = [server.plug(name) for name in NAMES]
        sources = [word for name in NAMES for word in ("--source", f"{name}=pulse:{name}")]
        with open(folder / "events", "w") as events, open(folder / "messages", "w") as messages:
            begin = time.monotonic()
            threads = [threading.Thread(target=speak, args=(server, name, sounds[place], rates[place], begin, seconds,
                                                            gap if place else None, first[place])) for place, name in enumerate(NAMES)]
            for thread in threads:
                thread.start()
            child = subprocess.Popen([options.utter, "listen", "-f", "jsonl", "--event", "final", "--event", "end", "-v", "--locale", "en",
                                      "--save-audio", str(folder / "meeting.wav"), *sources, *options.option],
                                     env=server.environment, stdout=events, stderr=messages)
            offset = time.time() - (time.monotonic() - begin)
            while any(thread.is_alive() for thread in threads):
                memory.append((time.monotonic() - begin, processes.memory(child.pid)))
                time.sleep(5)
            child.send_signal(signal.SIGINT)
            child.wait(timeout=600)
    finally:
        server.stop()
    return [json.loads(line) for line in open(folder / "events")], memory, open(folder / "messages").read(), offset, child.returncode


def median(values):
    return f"{statistics.median(values):.2f} s" if values else table.NOTHING


def matched(found, finals):
    """For each turn its first line and its place among all lines; None where it has none."""
    answer = []
    for turn, _ in found:
        places = [place for place, one in enumerate(finals) if one["speaker"] == NAMES[turn.speaker]
                  and turn.start - 0.5 < (one["start"] + one["end"]) / 2 < turn.end + 0.5]
        answer.append(places[0] if places else None)
    return answer


def wrong(found, speaker, lines):
    """The errors of a speaker's lines, each counted with the turn that it overlaps most."""
    own = [turn for turn, _ in found if turn.speaker == speaker]
    heard = [[] for _ in own]
    for line in lines:
        overlaps = [min(turn.end, line["end"]) - max(turn.start, line["start"]) for turn in own]
        heard[overlaps.index(max(overlaps))].append(line["text"])
    return sum((scoring.spoken_errors(turn.said, " ".join(texts)) for turn, texts in zip(own, heard)), scoring.Errors())


def report(options, folder, found, events, memory, messages, offset, code):
    end = [one for one in events if one["type"] == "end"]
    # The recognizer's times begin with its own start.
    shift = end[0]["clock"] - offset
    finals = [one for one in events if one["type"] == "final"]
    for one in finals:
        one["start"], one["end"] = one["start"] + shift, one["end"] + shift
    places = matched(found, finals)
    pairs = [(one, two) for one, two in zip(places, places[1:]) if one is not None and two is not None]
    right = sum(one <= two for one, two in pairs)
    table.line("Turns", "With text", "Pairs in order", "Lines", "Overlaps shown", "Exit status")
    table.line(*["---"] * 6)
    table.line(str(len(found)), str(sum(place is not None for place in places)), f"{right} of {len(pairs)} ({100 * right / max(1, len(pairs)):.1f} %)",
               str(len(finals)), str(sum(one.get("overlaps", False) for one in finals)), str(code))
    table.say("")
    quarter = options.minutes * 15
    def late(speaker, low, high):
        return [finals[place]["start"] - turn.start for (turn, _), place in zip(found, places)
                if place is not None and turn.speaker == speaker and low <= turn.start < high]
    table.line("Source", "Clock measured", "Begins late, first quarter", "Last quarter", "Wrong words, live", "Lost", "Added",
               "Wrong words, saved sound", "Lost")
    table.line(*["---"] * 9)
    for speaker, name in enumerate(NAMES):
        saved = subprocess.run([options.utter, "transcribe", "--locale", "en", "-f", "json", "--channel", str(speaker + 1),
                                str(folder / "meeting.wav")], capture_output=True, text=True, check=True).stdout
        segments = json.loads(saved)["segments"]
        for one in segments:
            one["start"], one["end"] = one["start"] + shift, one["end"] + shift
        live = wrong(found, speaker, [one for one in finals if one["speaker"] == name])
        file = wrong(found, speaker, segments)
        table.line(name, f"{end[speaker].get('ppm', 0):.0f} ppm", median(late(speaker, 0, quarter)), median(late(speaker, 3 * quarter, 1e9)),
                   f"{live.rate:.1f} %", str(live.deletions), str(live.insertions), f"{file.rate:.1f} %", str(file.deletions))
    table.say("")
    quarters = [[size for when, size in memory if low <= when < high] for low, high in ((60, 60 + quarter), (3 * quarter, 1e9))]
    table.say("Memory, PSS: " + ", ".join(f"{statistics.median(sizes):.0f} MB" for sizes in quarters if sizes)
              + f" (first and last quarter, medians), {max(size for _, size in memory):.0f} MB at most")
    for line in messages.splitlines():
        table.say("    " + line)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.strip())
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--ppm", type=float, default=100)
    parser.add_argument("--utter", default=os.environ.get("UTTER_BINARY") or str(table.ROOT / ".build/release/utter"))
    parser.add_argument("--keep")
    parser.add_argument("option", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="utter-meeting.") as temporary:
        folder = Path(temporary)
        seconds = options.minutes * 60
        gap = (seconds / 2, seconds / 2 + 20)
        found = turns(seconds, gap, folder)
        report(options, folder, found, *hear(options, folder, found, gap))
        if options.keep:
            shutil.copytree(folder, options.keep, ignore=lambda _, names: [name for name in names if name in (*NAMES, "pulse")])


if __name__ == "__main__":
    main()
