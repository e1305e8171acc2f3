#!/usr/bin/env python3
"""Measures how soon the outbox has something on the disk, beside SQLite on the same disk, and what a long queue costs.

Run by `make bench`. Prints two Markdown tables. The first is for durable enqueues a second, with one writing process and with
several at a time:

  utter    Tests/OutboxRig over the library, built for release: a file an operation, flushed, linked, its folder flushed
  SQLite   python3's own: WAL, synchronous=FULL, a transaction for each; the same bytes under the same id
  flush    a file that grows by the same bytes, fdatasync after each: what the disk allows one writer without any queue

in turn, after one round that is not counted, and each round begins with another. A figure is the median of the rounds and, in
brackets, the least and the most; × is the median of each round's ratio to SQLite. A writer begins when all are ready.

The second is for a queue with nothing and with much in it: enqueues a second, how long a drain takes to its first delivery, and
the most memory of the process at the first and at a later delivery.

  BENCH_ROUNDS=7       rounds that count
  BENCH_COUNT=300      operations a writer and round
  BENCH_QUEUED=100000  what is in the long queue
  BENCH_DISK=FOLDER    where it is measured; .build-bench in the checkout
"""

import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RIG = ROOT / ".build/release/OutboxRig"
DISK = Path(os.environ.get("BENCH_DISK", str(ROOT / ".build-bench"))) / "outbox"
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "7"))
COUNT = int(os.environ.get("BENCH_COUNT", "300"))
QUEUED = int(os.environ.get("BENCH_QUEUED", "100000"))
WRITERS = [1, 2, 4, 8]


def ready():
    """Waits for the others."""
    print("ready", flush=True)
    sys.stdin.readline()


def connect(path):
    connection = sqlite3.connect(path, timeout=120, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def write_sqlite(path, count):
    connection = connect(path)
    operation = json.loads(os.environ["OPERATION"])
    ready()
    for _ in range(count):
        operation["id"] = str(uuid.uuid4())
        text = json.dumps(operation, separators=(",", ":"), ensure_ascii=False)
        connection.execute("INSERT INTO operations VALUES (?, ?)", (operation["id"], text))


def write_flushed(path, count):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    bytes = os.environ["OPERATION"].encode()
    ready()
    for _ in range(count):
        os.write(file, bytes)
        os.fdatasync(file)


def per_second(commands, environment=None):
    """Runs writers at the same time; each does COUNT."""
    writers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        for command in commands
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    start = time.monotonic()
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
        if writer.returncode != 0:
            sys.exit(f"outbox: {writer.args[0]} ended with {writer.returncode}")
    return len(writers) * COUNT / (time.monotonic() - start)


def sample():
    """An operation as utter writes it."""
    folder = DISK / "sample"
    subprocess.run([RIG, "enqueue", folder, "1"], input="\n", stdout=subprocess.DEVNULL, text=True, check=True)
    return next(folder.glob("*.json")).read_text()


def utter(folder, writers):
    return per_second([[str(RIG), "enqueue", str(folder), str(COUNT)]] * writers)


def own(mode, path, writers, operation):
    command = [sys.executable, __file__, mode, str(path), str(COUNT)]
    return per_second([command] * writers, {**os.environ, "OPERATION": operation})


def round_of(writers, operation, turn):
    """Enqueues a second by program, in a new place each time."""
    folder = DISK / "round"
    folder.mkdir()
    rates = {}

    def run_utter():
        rates["utter"] = utter(folder / "queue", writers)
        assert len(list((folder / "queue").glob("*.json"))) == writers * COUNT

    def run_sqlite():
        connection = connect(folder / "queue.db")
        connection.execute("CREATE TABLE operations (id TEXT PRIMARY KEY, json TEXT NOT NULL)")
        rates["SQLite"] = own("--sqlite", folder / "queue.db", writers, operation)
        assert connection.execute("SELECT count(*) FROM operations").fetchone() == (writers * COUNT,)
        connection.close()

    def run_flush():
        rates["flush"] = own("--flush", folder / "flushed", 1, operation)

    runs = [run_utter, run_sqlite] + ([run_flush] if writers == 1 else [])
    for place in range(len(runs)):
        runs[(place + turn) % len(runs)]()
        os.sync()
    shutil.rmtree(folder)
    return rates


def figure(values, digits=0):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def row(*columns):
    print("| " + " | ".join(columns) + " |", flush=True)


def beside_sqlite(operation):
    row("Writers", "utter, a second", "SQLite, a second", "×", "flush, a second")
    row(*["---"] * 5)
    for writers in WRITERS:
        rounds = [round_of(writers, operation, turn) for turn in range(ROUNDS + 1)][1:]
        ratio = [one["utter"] / one["SQLite"] for one in rounds]
        flush = figure([one["flush"] for one in rounds]) if writers == 1 else "–"
        row(str(writers), figure([one["utter"] for one in rounds]), figure([one["SQLite"] for one in rounds]), figure(ratio, 2), flush)


def fill(folder, operation):
    """Puts a long queue there, without flushing each."""
    folder.mkdir(mode=0o700)
    fields = json.loads(operation)
    start = int(time.time() * 1000) - QUEUED
    for number in range(QUEUED):
        # Version 7: the time comes first.
        bits = (start + number) << 80 | 0x7 << 76 | 0x2 << 62 | (uuid.uuid4().int & (1 << 62) - 1)
        fields["id"] = str(uuid.UUID(int=bits))
        with open(folder / (fields["id"] + ".json"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            json.dump(fields, file, separators=(",", ":"))
    os.sync()


def long_queue(operation):
    places = {0: DISK / "short", QUEUED: DISK / "long"}
    fill(places[QUEUED], operation)
    rates = {count: [] for count in places}
    starts = {count: [] for count in places}
    memory = {count: [] for count in places}
    for turn in range(ROUNDS + 1):
        for count, folder in sorted(places.items(), reverse=turn % 2 == 1):
            if count == 0:
                shutil.rmtree(folder, ignore_errors=True)
            rate = utter(folder, 1)
            # Of the short queue what was just put there; of the long one little, that it stays long.
            drained = subprocess.run([RIG, "drain", folder, str(COUNT)], capture_output=True, text=True, check=True)
            first, last = [line.split() for line in drained.stdout.splitlines()]
            if turn > 0:
                rates[count].append(rate)
                starts[count].append(float(first[0]))
                memory[count].append((int(first[1]) / 1024, int(last[1]) / 1024))
    row("Queued", "enqueues a second", "first delivery after, s", "memory then, MB", f"after {COUNT} deliveries, MB")
    row(*["---"] * 5)
    for count in places:
        row(f"{count:,}", figure(rates[count]), figure(starts[count], 3), figure([one for one, _ in memory[count]], 1),
            figure([other for _, other in memory[count]], 1))


def main():
    if not RIG.exists():
        sys.exit("outbox: .build/release/OutboxRig is missing; run: make bench")
    shutil.rmtree(DISK, ignore_errors=True)
    DISK.mkdir(parents=True)
    try:
        operation = sample()
        kind = subprocess.run(["stat", "-f", "-c", "%T", DISK], capture_output=True, text=True).stdout.strip()
        print(f"{len(operation)} bytes an operation, {COUNT} a writer and round; {ROUNDS} rounds; {kind}; SQLite {sqlite3.sqlite_version}; "
              f"load {os.getloadavg()[0]:.1f} at the start\n")
        beside_sqlite(operation)
        print()
        long_queue(operation)
    finally:
        shutil.rmtree(DISK, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sqlite"]:
        write_sqlite(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1:2] == ["--flush"]:
        write_flushed(sys.argv[2], int(sys.argv[3]))
    else:
        main()
