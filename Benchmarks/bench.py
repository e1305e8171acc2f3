#!/usr/bin/env python3
"""Measures what utter costs and how soon it answers, and prints one Markdown table, which goes into Documentation/performance.md as well.

Run by `make bench`. How each part measures, and what stands beside utter there, is said in its file; each runs alone too.

  transcription.py  CPU, time and memory beside the least that libvosk allows and beside vosk-transcriber; throughput
  live.py           how soon listening and a memo answer, with a microphone made of PulseAudio
  quick.py          the commands that answer at once
  outbox.py         durable enqueues beside SQLite, and what a long queue costs
"""

import sys

import live
import outbox
import quick
import table
import transcription

table.head()
failed = transcription.measure_all()
live.measure_all()
quick.measure_all()
outbox.measure_all()
if failed:
    sys.exit(failed)
table.keep("bench")
