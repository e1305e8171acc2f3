#!/usr/bin/env python3
"""Measures `utter transcribe` beside the least that libvosk allows and beside the program that comes with it.

Run by `make bench`. Prints the machine and one Markdown table: CPU time, wall time and peak memory of

  utter             .build/release/utter transcribe, which has jemalloc for its malloc
  floor             Benchmarks/floor.c, which feeds the same samples to the same libvosk and does nothing else
  floor, jemalloc   the same, linked with jemalloc
  vosk-transcriber  from the PyPI package vosk, which reads every file through ffmpeg

with the same model and the same file, in turn, after one round that is not counted. A figure is the median of the
rounds and, in brackets, the least and the most; × is the median of each round's ratio to the floor, and × jemalloc that to the
floor with jemalloc. CPU is user and system time of the program and of everything that it started; peak memory is the resident
set of the largest of these processes.
The last row is utter's memory over a much longer file, against its own over ten minutes.

  BENCH_ROUNDS=7   rounds that count
  BENCH_HOURS=1    length of the longer file; 0 leaves the row out
"""

import ctypes
import os
import platform
import statistics
import subprocess
import sys
import time
import wave
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
        while True:  # What it started and did not wait for comes to us: we are its subreaper.
            try:
                _, _, usage = os.wait4(-1, 0)
            except ChildProcessError:
                break
            cpu, peak = cpu + usage.ru_utime + usage.ru_stime, max(peak, usage.ru_maxrss)
        output.seek(0)
        text = output.read().decode()
        if child.returncode != 0 or not text.strip():
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["it printed nothing"]
            raise Failed(f"exit code {child.returncode}: {lines[-1]}")
    return cpu, wall, peak * 1024 / 1e6, text.split()


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


def median(runs, column):
    return statistics.median(run[column] for run in runs)


def ratio(runs, base, column):
    """How much more than `base`. Runs of one round stood side by side, so a machine that slows down slows down both."""
    if len(runs) == len(base):
        return statistics.median(run[column] / other[column] for run, other in zip(runs, base))
    return median(runs, column) / median(base, column)


def cells(runs, base, jemalloc=None, digits=(2, 2, 1)):
    """The table's cells for one program: figure and ratio for each of CPU, wall and memory, and for CPU a second ratio."""
    for column in range(3):
        values = [run[column] for run in runs]
        spread = "" if len(runs) == 1 else f" ({min(values):.{digits[column]}f}–{max(values):.{digits[column]}f})"
        yield f"{median(runs, column):.{digits[column]}f}{spread}"
        yield "–" if base is None else f"{ratio(runs, base, column):.2f}"
        if column == 0:
            yield "–" if jemalloc is None else f"{ratio(runs, jemalloc, column):.2f}"


def row(*columns):
    print("| " + " | ".join(columns) + " |", flush=True)


def rows(title, file, runs):
    base, jemalloc = (None if isinstance(runs[floor], str) else runs[floor] for floor in ("floor", "floor, jemalloc"))
    for program, result in runs.items():
        if isinstance(result, str):
            row(title, program, "failed", "–", "–", "–", "–", "–", "–", result.replace("|", "/"))
            continue
        words = result[0][3]
        same = "" if program == "floor" or base is None else "same words" if words == base[0][3] else "other words"
        row(title, program, *cells(result, base, jemalloc), f"{len(words)} words" if program == "floor" else same)


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()[0]
    print(f"{time.strftime('%Y-%m-%d %H:%M')} · {model}, {len(os.sched_getaffinity(0))} cores, load {load:.1f} at the start"
          f" · Linux {platform.release()} · commit {commit or 'unknown'}  ")
    print(f"`make bench` with BENCH_ROUNDS={ROUNDS} BENCH_HOURS={HOURS:g}; per file "
          + ", ".join(f"`{' '.join(command)} FILE`" for command in PROGRAMS.values()))
    print()


def main():
    os.chdir(ROOT)
    prepare()
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    minutes = repeated(600, "ten-minutes")
    machine()
    row("Audio", "Program", "CPU s", "×", "× jemalloc", "Wall s", "×", "Peak MB", "×", "Text")
    row(*["---"] * 10)
    memo = measure(MEMO, PROGRAMS, ROUNDS)
    rows("memo, 26 s", MEMO, memo)
    ten = measure(minutes, PROGRAMS, ROUNDS)
    rows("10 minutes", minutes, ten)
    failed = [result for runs in (memo, ten) for result in runs.values() if isinstance(result, str)]
    if HOURS > 0 and not isinstance(ten["utter"], str):
        long = measure(repeated(HOURS * 3600, "hours"), ["utter"], 1)["utter"]
        title = f"{HOURS:g} hours" if HOURS != 1 else "60 minutes"
        if isinstance(long, str):
            failed.append(long)
            row(title, "utter", "failed", "–", "–", "–", "–", "–", "–", long)
        else:
            figures = list(cells(long, ten["utter"]))
            row(title, "utter", figures[0], "–", "–", figures[3], "–", figures[5], f"{figures[6]} of its 10 minutes", f"{len(long[0][3])} words")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
