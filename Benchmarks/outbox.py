#!/usr/bin/env python3
"""Measures how soon the outbox has something on the disk, beside SQLite on the same disk, and what a long queue costs.

A part of Benchmarks/bench.py, which `make bench` runs. First durable enqueues a second, with one writing process and with several
at a time:

  utter    Tests/OutboxRig over the library, built for release: a file an operation, flushed, linked, its folder flushed
  SQLite   python3's own: WAL, synchronous=FULL, a transaction for each; the same bytes under an id as key
  flush    a file that grows by the same bytes, fdatasync after each: what the disk allows one writer without any queue

A disk is not as fast at all times, so they take turns after every few operations, each round in another order. A round is
BATCHES such turns; one before them is not counted. Several writers begin a turn together, and it ends with the last of them.

Then a queue with nothing and with much in it: enqueues a second, how long a drain takes to its first delivery, and
the most memory of the process then and when it has delivered much.

  BENCH_OUTBOX_ROUNDS=11  rounds that count
  BENCH_QUEUED=100000     what is in the long queue
  BENCH_DISK=FOLDER       where it is measured; .build-bench in the checkout
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import uuid
from pathlib import Path

import table
from table import ROOT

RIG = ROOT / ".build/release/OutboxRig"
DISK = Path(os.environ.get("BENCH_DISK", str(ROOT / ".build-bench"))) / "outbox"
ROUNDS = int(os.environ.get("BENCH_OUTBOX_ROUNDS", "11"))
QUEUED = int(os.environ.get("BENCH_QUEUED", "100000"))
WRITERS = [1, 2, 4, 8]
BATCHES = 20
# Operations of a writer in a turn.
BATCH = 10
DELIVERED = 2000


def answer(work):
    """Works BATCH times for each line on standard input."""
    print("ready", flush=True)
    for _ in sys.stdin:
        for _ in range(BATCH):
            work()
        print("done", flush=True)


def connect(path):
    connection = sqlite3.connect(path, timeout=120, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def write_sqlite(path):
    connection = connect(path)
    operation = json.loads(os.environ["OPERATION"])

    def insert():
        operation["id"] = str(uuid.uuid4())
        text = json.dumps(operation, separators=(",", ":"), ensure_ascii=False)
        connection.execute("INSERT INTO operations VALUES (?, ?)", (operation["id"], text))

    answer(insert)


def write_flushed(path):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    operation = os.environ["OPERATION"].encode()

    def append():
        os.write(file, operation)
        os.fdatasync(file)

    answer(append)


class Program:
    """Some processes that write at the same time."""

    def __init__(self, command, writers, operation, says_ready=True):
        environment = {**os.environ, "OPERATION": operation}
        self.processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
            for _ in range(writers)
        ]
        if says_ready:
            self.expect()

    def expect(self):
        for process in self.processes:
            if not process.stdout.readline():
                sys.exit(f"outbox: {process.args[0]} has ended")

    def turn(self):
        """Seconds until each has done its BATCH."""
        start = time.monotonic()
        for process in self.processes:
            process.stdin.write("\n")
            process.stdin.flush()
        self.expect()
        return time.monotonic() - start

    def end(self):
        for process in self.processes:
            process.stdin.close()
            process.wait()
            process.stdout.close()


def own(mode, path, writers, operation):
    return Program([sys.executable, __file__, mode, str(path)], writers, operation)


def enqueuer(folder, writers, operation):
    return Program([str(RIG), "enqueue", str(folder), str(BATCH)], writers, operation, says_ready=False)


def rounds_of(programs, writers):
    """For each program its operations a second, round by round."""
    rates = {name: [] for name in programs}
    names = list(programs)
    for number in range(ROUNDS + 1):
        seconds = dict.fromkeys(names, 0.0)
        for batch in range(BATCHES):
            for place in range(len(names)):
                name = names[(place + batch + number) % len(names)]
                seconds[name] += programs[name].turn()
        for name in names:
            if number > 0:
                rates[name].append(BATCHES * BATCH * (1 if name == "flush" else writers) / seconds[name])
    for program in programs.values():
        program.end()
    return rates


def beside_sqlite(operation):
    for writers in WRITERS:
        folder = DISK / f"writers-{writers}"
        folder.mkdir()
        connection = connect(folder / "queue.db")
        connection.execute("CREATE TABLE operations (id TEXT PRIMARY KEY, json TEXT NOT NULL)")
        programs = {
            "utter": enqueuer(folder / "queue", writers, operation),
            "SQLite": own("--sqlite", folder / "queue.db", writers, operation),
            "flush": own("--flush", folder / "flushed", 1, operation),
        }
        rates = rounds_of(programs, writers)
        count = (ROUNDS + 1) * BATCHES * BATCH * writers
        if connection.execute("SELECT count(*) FROM operations").fetchone() != (count,):
            sys.exit("outbox: SQLite has lost something")
        if len(list((folder / "queue").glob("*.json"))) != count:
            sys.exit("outbox: utter has lost something")
        connection.close()
        for other in ("SQLite", "flush") if writers == 1 else ("SQLite",):
            table.row(f"durable enqueues, {writers} writing", rates["utter"], "a second", 0, other, rates[other])
        shutil.rmtree(folder)


def sample():
    """An operation as utter writes it."""
    folder = DISK / "sample"
    subprocess.run([RIG, "enqueue", folder, "1"], input="\n", stdout=subprocess.DEVNULL, text=True, check=True)
    return next(folder.glob("*.json")).read_text()


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
    rates = rounds_of({count: enqueuer(folder, 1, operation) for count, folder in places.items()}, 1)
    starts, first_memory, last_memory = ({count: [] for count in places} for _ in range(3))
    for _ in range(3):
        for count, folder in places.items():
            # Of the short queue all that is in it; of the long one little.
            delivered = min(DELIVERED, len(list(folder.glob("*.json"))))
            if count == 0:
                shutil.copytree(folder, DISK / "copy")
                folder = DISK / "copy"
            drained = subprocess.run([RIG, "drain", folder, str(delivered)], capture_output=True, text=True, check=True)
            first, last = [line.split() for line in drained.stdout.splitlines()]
            starts[count].append(float(first[0]))
            first_memory[count].append(int(first[1]) / 1024)
            last_memory[count].append(int(last[1]) / 1024)
            shutil.rmtree(DISK / "copy", ignore_errors=True)
    queued, empty = f"with {QUEUED:,} queued", "with none"
    table.row(f"durable enqueues {queued}", rates[QUEUED], "a second", 0, empty, rates[0])
    table.row(f"drain to its first delivery {queued}", starts[QUEUED], "s", 3, empty, starts[0])
    table.row(f"its memory then, {queued}", first_memory[QUEUED], "MB", 1, f"after {DELIVERED} deliveries", last_memory[QUEUED])


def measure_all():
    if not RIG.exists():
        sys.exit("outbox: .build/release/OutboxRig is missing; run: make bench")
    shutil.rmtree(DISK, ignore_errors=True)
    DISK.mkdir(parents=True)
    try:
        operation = sample()
        beside_sqlite(operation)
        long_queue(operation)
    finally:
        shutil.rmtree(DISK, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sqlite"]:
        write_sqlite(sys.argv[2])
    elif sys.argv[1:2] == ["--flush"]:
        write_flushed(sys.argv[2])
    else:
        table.head()
        measure_all()
