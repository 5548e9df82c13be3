# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Handles tests/gpu_record.json: it has an entry for each family, from which the verdict
follows."""

import json
from datetime import datetime, timezone

from .families import BY_NAME, ORDER
from .steps import OLDER_CARDS, TOOLS

PASSED, FAILED, INCOMPLETE, NOT_RUN = "passed", "failed", "incomplete", "not_run"
_ABOUT = ("What scripts/gpu-check asked a GPU, and what came of it; it alone writes this file. A "
          "digest is of the sources that a family depends on, without comments and white space.")
MOST_COMPLAINTS = 8


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def load(path):
    """Returns the entries by family."""
    if not path.exists():
        return {}
    return json.loads(path.read_text(encoding="utf-8"))["families"]


def store(path, entries):
    ordered = {name: entries[name] for name in ORDER if name in entries}
    text = json.dumps({"about": _ABOUT, "families": ordered}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def not_run(digest, reason):
    return {"verdict": NOT_RUN, "reason": reason, "digest": digest, "date": now()}


def complaints_of(name, entry):
    """Returns why an entry that was run is no proof: the figures count, not its verdict."""
    wrong = list(entry.get("complaints", []))
    counts = entry.get("suites", {})
    if not counts.get("passed"):
        wrong.append("no test has passed")
    if counts.get("failed"):
        wrong.append(f"{counts['failed']} tests have failed")
    if BY_NAME[name].sanitized:
        for tool in TOOLS:
            wrong += _complaints_of_tool(tool, entry.get("sanitizer", {}).get(tool, {}))
    older = entry.get(OLDER_CARDS, {})
    if older.get("failed"):
        wrong.append(f"{older['failed']} tests of {OLDER_CARDS} have failed")
    return wrong


def _complaints_of_tool(tool, figures):
    if not figures.get("passed"):
        return [f"{tool} has watched no test"]
    return [f"{tool}: {figures[what]} {what}" for what in ("errors", "failed") if figures.get(what)]


def missing_of(name, entry):
    """Returns what an entry lacks that does not make it a failure, or None."""
    if not BY_NAME[name].older_cards or entry.get(OLDER_CARDS, {}).get("passed"):
        return None
    reason = entry.get(OLDER_CARDS, {}).get("reason", "no test has passed")
    return f"{OLDER_CARDS} was not run: {reason}"


def verdict_of(name, entry):
    if complaints_of(name, entry):
        return FAILED
    return INCOMPLETE if missing_of(name, entry) else PASSED


def judge(entries, digests):
    """Returns what is wrong with the record of a tree: (errors, warnings), both sentences. A
    warning names what was not run for exactly these sources."""
    errors, warnings = [], []
    for name in ORDER:
        entry = entries.get(name)
        if entry is None:
            errors.append(f"{name}: there is no entry")
        elif entry.get("digest") != digests[name]:
            errors.append(f"{name}: its sources have changed since {entry.get('date')}: "
                          f"{entry.get('digest')} is recorded, {digests[name]} is here")
        elif entry.get("verdict") == NOT_RUN and entry.get("reason", "").strip():
            warnings.append(f"{name}: NOT RUN ON A GPU: {entry['reason']}")
        else:
            wrong = _judge_run(name, entry)
            errors += [f"{name}: {w}" for w in wrong]
            if not wrong and entry["verdict"] == INCOMPLETE:
                warnings.append(f"{name}: INCOMPLETE: {missing_of(name, entry)}")
    return errors, warnings


def _judge_run(name, entry):
    wrong = complaints_of(name, entry)
    expected = verdict_of(name, entry)
    if not wrong and entry.get("verdict") != expected:
        wrong.append(f"its verdict is {entry.get('verdict')}, but its figures say {expected}")
    return wrong


def _figures_line(entry):
    counts = entry["suites"]
    tests = f"{counts['passed']} passed"
    tests += "".join(f", {counts[k]} {k}" for k in ("failed", "skipped") if counts.get(k))
    tools = [f"{tool} {figures['passed']}" for tool, figures in entry.get("sanitizer", {}).items()]
    older = entry.get(OLDER_CARDS, {})
    return [tests, ", ".join(tools) or "-", str(older.get("passed") or "-")]


def readme_lines(entries):
    """Returns the table that the README shows."""
    head = ("kernels", "asked", "tests", "under compute-sanitizer", f"compiled from {OLDER_CARDS}",
            "verdict")
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for name in ORDER:
        entry = entries.get(name)
        if entry is None or entry["verdict"] == NOT_RUN:
            reason = entry["reason"] if entry else "there is no entry"
            cells = ["-", "-", "-", "-", f"**not run**: {reason}"]
        else:
            times = f"{entry['gpus']} x " if entry["gpus"] > 1 else ""
            asked = (f"{times}{entry['card']}, driver {entry['driver']}, CUDA {entry['cuda']}, "
                     f"{entry['date'][:10]}")
            plain = entry["verdict"] == PASSED
            cells = [asked, *_figures_line(entry),
                     entry["verdict"] if plain else f"**{entry['verdict']}**"]
        lines.append("| " + " | ".join([BY_NAME[name].title, *cells]) + " |")
    return lines


BEGIN, END = "<!-- begin: scripts/gpu-check -->", "<!-- end: scripts/gpu-check -->"


def readme_with(text, entries):
    """Returns the README with the record's table."""
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    return before + "\n".join([BEGIN, *readme_lines(entries), END]) + after
