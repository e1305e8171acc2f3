"""The one table that all benchmarks print into, a Markdown row for each figure.

A figure is the median of its rounds and, in brackets, the least and the most. What stands beside it was measured in turn with it,
and × is the median of each round's ratio to that: a machine that slows down slows down both.

`keep` puts what was printed into Documentation/performance.md, in place of what was measured before.
"""

import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "Documentation/performance.md"
NOTHING = "–"
printed = []


def say(text):
    printed.append(text)
    print(text, flush=True)


def line(*cells):
    say("| " + " | ".join(cells) + " |")


def head():
    """What it was measured on, and the table's head."""
    model = next((text.split(":", 1)[1].strip() for text in open("/proc/cpuinfo") if text.startswith("model name")), "unknown processor")
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    say(f"{time.strftime('%Y-%m-%d %H:%M')} · {model}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} at the "
        f"start · Linux {platform.release()} · commit {commit or 'unknown'}\n")
    line("What", "utter", "Beside", "Its figure", "×", "Rounds")
    line(*["---"] * 6)


def figure(values, unit="", digits=0):
    spread = f" ({min(values):.{digits}f}–{max(values):.{digits}f})" if len(values) > 1 else ""
    return f"{statistics.median(values):.{digits}f}{' ' if unit else ''}{unit}{spread}"


def ratio(values, others):
    if len(values) == len(others):
        return statistics.median(value / other for value, other in zip(values, others))
    return statistics.median(values) / statistics.median(others)


def row(what, values, unit, digits=0, beside=None, others=None):
    """One figure of utter's, and what stands beside it with its own."""
    if not values:
        return line(what, "not measured", NOTHING, NOTHING, NOTHING, "0")
    if others is None:
        return line(what, figure(values, unit, digits), beside or NOTHING, NOTHING, NOTHING, str(len(values)))
    line(what, figure(values, unit, digits), beside, figure(others, unit, digits), f"{ratio(values, others):.2f}", str(len(values)))


def keep(name, page=PAGE):
    """Replaces what stands in the page between the comments `<!-- NAME -->` and `<!-- end of NAME -->`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    text = page.read_text()
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"table: {page.name} has no place for {name}")
    page.write_text(before + begin + "\n" + "\n".join(printed) + "\n\n" + end + after)
