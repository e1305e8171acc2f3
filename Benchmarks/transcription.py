#!/usr/bin/env python3
"""Measures `utter transcribe` beside the least that libvosk allows and beside the program that comes with it.

A part of Benchmarks/bench.py, which `make bench` runs. Rows for CPU time, wall time and peak memory of

  utter             .build/release/utter transcribe, which has jemalloc for its malloc
  floor             Benchmarks/floor.c, which feeds the same samples to the same libvosk and does nothing else
  floor, jemalloc   the same, linked with jemalloc
  vosk-transcriber  from the PyPI package vosk, which reads every file through ffmpeg

with the same model and the same file, in turn, after one round that is not counted. CPU is user and system time of the program
and of everything that it started; peak memory is that of all these processes, where what several share counts once (PSS). Then utter's memory over
a much longer file, against its own over ten minutes, and how much sound it transcribes with one job and with two.

  BENCH_ROUNDS=7   rounds that count
  BENCH_HOURS=1    length of the longer file; 0 leaves the row out
"""

import ctypes
import os
import subprocess
import sys
import time
import wave
from pathlib import Path

import processes
import table
from table import ROOT

WORK = ROOT / ".build-bench"
MODEL = "Models/vosk-model-tiny-en"
MEMO = "AudioFixtures/memo.wav"
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
HOURS = float(os.environ.get("BENCH_HOURS", "1"))
VOSK = "vosk==0.3.45"

PROGRAMS = {
    "utter": [".build/release/utter", "transcribe", "--format", "text", "--model", MODEL],
    "floor": [".build-bench/floor", MODEL],
    "floor, jemalloc": [".build-bench/floor-jemalloc", MODEL],
    "vosk-transcriber": [".build-bench/venv/bin/vosk-transcriber", "--log-level", "WARNING", "--model", MODEL, "--input"],
}


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def prepare():
    """Builds the floors and installs vosk-transcriber, each only when it is not there yet."""
    WORK.mkdir(exist_ok=True)
    source = ROOT / "Benchmarks/floor.c"
    for floor, malloc in ((WORK / "floor", []), (WORK / "floor-jemalloc", ["-Wl,--no-as-needed", "-ljemalloc"])):
        if floor.exists() and floor.stat().st_mtime >= source.stat().st_mtime:
            continue
        flags = pkg_config("--cflags", "--libs")
        rpath = "-Wl,-rpath," + pkg_config("--variable=libdir")[0]
        subprocess.run(["cc", "-O2", str(source), "-o", str(floor), *malloc, *flags, rpath], check=True)
    if not (WORK / "venv/bin/vosk-transcriber").exists():
        say(f"installing {VOSK} in .build-bench/venv")
        subprocess.run([sys.executable, "-m", "venv", str(WORK / "venv")], check=True)
        pip = [str(WORK / "venv/bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", VOSK], check=True)


def pkg_config(*arguments):
    return subprocess.run(["pkg-config", *arguments, "vosk"], check=True, capture_output=True, text=True).stdout.split()


def repeated(seconds, name):
    """The memo again and again until `seconds` are full, as a file in .build-bench."""
    path = WORK / f"{name}.wav"
    with wave.open(str(ROOT / MEMO)) as memo:
        format, frames = memo.getparams(), memo.readframes(memo.getnframes())
        times = round(seconds * memo.getframerate() / memo.getnframes())
    if not path.exists() or path.stat().st_size != 44 + times * len(frames):
        with wave.open(str(path), "wb") as out:
            out.setparams(format)
            out.setnframes(times * format.nframes)
            for _ in range(times):
                out.writeframesraw(frames)
    return str(path.relative_to(ROOT))


class Failed(Exception):
    pass


def run(program, file):
    """One run: CPU seconds, wall seconds, peak MB, words printed."""
    command = [*PROGRAMS[program], file]
    with open(WORK / "output.txt", "w+b") as output, open(WORK / "errors.txt", "w+b") as errors:
        start = time.monotonic()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        watch = processes.Watch(child.pid, interval=0.005)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        peak = watch.finish()
        cpu = usage.ru_utime + usage.ru_stime
        while True:  # What it started and did not wait for comes to us: we are its subreaper.
            try:
                _, _, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            cpu += usage.ru_utime + usage.ru_stime
        output.seek(0)
        text = output.read().decode()
        if child.returncode != 0 or not text.strip():
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["it printed nothing"]
            raise Failed(f"exit code {child.returncode}: {lines[-1]}")
    return cpu, wall, peak, text.split()


def measure(file, programs, rounds):
    """For each program the runs, taken in turn, or the sentence that says why there are none."""
    runs = {program: [] for program in programs}
    for number in range(-1 if rounds > 1 else 0, rounds):
        say(f"{file}: round {number + 1} of {rounds}" + (" (warm-up)" if number < 0 else ""))
        for program in programs:
            if isinstance(runs[program], str):
                continue
            try:
                result = run(program, file)
                if number >= 0:
                    runs[program].append(result)
            except (Failed, OSError) as error:
                runs[program] = str(error)
                say(f"{program}: {error}")
    return runs


def column(runs, number):
    return [run[number] for run in runs]


def rows(title, runs):
    """A row for each measure and each program beside utter. What could not be measured says why."""
    for program, result in runs.items():
        if isinstance(result, str):
            table.line(f"{title}: {program}", "failed: " + result.replace("|", "/"), *[table.NOTHING] * 3, "0")
    utter = runs["utter"]
    if isinstance(utter, str):
        return
    for number, measure, unit, digits in ((0, "CPU", "s", 2), (1, "wall", "s", 2), (2, "peak memory", "MB", 1)):
        for program, others in runs.items():
            if program != "utter" and not isinstance(others, str):
                same = "" if others[0][3] == utter[0][3] else ", other words"
                table.row(f"{title}, {measure}", column(utter, number), unit, digits, program + same, column(others, number))


def throughput(file, seconds):
    """How much sound a second of wall time transcribes, with one job and with two, over as many copies of a file as keep both busy."""
    rates = {1: [], 2: []}
    files = [file] * 4
    for number in range(-1, ROUNDS):
        for jobs, found in rates.items():
            say(f"{jobs} jobs: round {number + 1} of {ROUNDS}")
            start = time.monotonic()
            subprocess.run([*PROGRAMS["utter"], "--jobs", str(jobs), *files], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
            if number >= 0:
                found.append(len(files) * seconds / (time.monotonic() - start))
    table.row("4 × 5 minutes, throughput with 2 jobs", rates[2], "× real time", 0, "1 job", rates[1])


def measure_all():
    """Prints the rows. Ends with 1 when something could not be measured."""
    os.chdir(ROOT)
    prepare()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    minutes = repeated(600, "ten-minutes")
    memo = measure(MEMO, PROGRAMS, ROUNDS)
    rows("memo of 26 s", memo)
    ten = measure(minutes, PROGRAMS, ROUNDS)
    rows("10 minutes", ten)
    failed = [result for runs in (memo, ten) for result in runs.values() if isinstance(result, str)]
    if HOURS > 0 and not failed:
        long = measure(repeated(HOURS * 3600, "hours"), ["utter"], 1)["utter"]
        title = f"{HOURS * 60:g} minutes"
        if isinstance(long, str):
            failed.append(long)
            rows(title, {"utter": long})
        else:
            table.row(f"{title}, CPU", column(long, 0), "s", 2)
            table.row(f"{title}, peak memory", column(long, 2), "MB", 1, "its 10 minutes", column(ten["utter"], 2))
    throughput(repeated(300, "five-minutes"), 300)
    return 1 if failed else 0


if __name__ == "__main__":
    table.head()
    sys.exit(measure_all())
