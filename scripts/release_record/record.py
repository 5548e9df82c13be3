# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Handles tests/release_record.json: it has an entry for each release, with what each step said."""

import json
import re
from datetime import datetime, timezone

from .releases import RELEASES, STEP_NAMES, STEPS

PASSED, FAILED, NOT_RUN = "passed", "failed", "not_run"
_ABOUT = ("What scripts/release-check did in clean systems, and what came of it; it alone writes this "
          "file. `said` is the last line that a step printed.")


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def load(path):
    """Returns the entries by release."""
    return json.loads(path.read_text(encoding="utf-8"))["releases"] if path.exists() else {}


def store(path, entries):
    ordered = {r.name: entries[r.name] for r in RELEASES if r.name in entries}
    text = json.dumps({"about": _ABOUT, "releases": ordered}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def not_run(reason):
    return {"verdict": NOT_RUN, "reason": reason}


def ran(code, output, seconds):
    """Returns the entry of a step that was run."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    entry = {"verdict": PASSED if code == 0 else FAILED, "seconds": round(seconds, 1),
             "said": lines[-1][:300] if lines else ""}
    if code != 0:
        entry["code"] = code  # null: it was stopped
        entry["lines"] = lines[-12:]
    return entry


def with_steps(entry, done, reason):
    """Returns an entry with what was done, and why all else was not run."""
    return {**entry, "steps": {name: done.get(name) or not_run(reason) for name in STEP_NAMES}}


def needs_of(step, from_elsewhere):
    """Returns the steps without which a step says nothing; packages may be from elsewhere."""
    return [name for name in step.after if not (name == "packages" and from_elsewhere)]


def verdict_of(entry):
    """Returns what the steps say together."""
    verdicts = {s.get("verdict") for s in entry["steps"].values()}
    if FAILED in verdicts:
        return FAILED
    return PASSED if PASSED in verdicts else NOT_RUN


def judge(entries, version):
    """Returns what is wrong with the record: (errors, warnings), both sentences. A warning names what
    was not run."""
    errors, warnings = [], []
    for name in (r.name for r in RELEASES):
        entry = entries.get(name)
        if entry is None:
            errors.append(f"{name}: there is no entry")
            continue
        wrong = _errors_of(entry, version)
        errors += [f"{name}: {w}" for w in wrong]
        for step in STEP_NAMES:
            s = entry.get("steps", {}).get(step, {})
            if s.get("verdict") == NOT_RUN:
                warnings.append(f"{name}: NOT RUN: {step}: {s.get('reason')}")
    return errors, warnings


def _errors_of(entry, version):
    wrong = []
    if entry.get("version") != version:
        wrong.append(f"it is of version {entry.get('version')}, this is {version}")
    if not re.fullmatch(r"[0-9a-f]{40}( with changes)?", entry.get("commit", "")):
        wrong.append("it names no commit")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.get("date", "")):
        wrong.append("it has no date")
    steps = entry.get("steps", {})
    if list(steps) != list(STEP_NAMES):
        wrong.append(f"its steps are {', '.join(steps)}")
    for step in STEPS:
        wrong += [f"{step.name}: {w}"
                  for w in _errors_of_step(step, steps, entry.get("packages_from_elsewhere", False))]
    if steps.get("install", {}).get("verdict") == PASSED and not _names_packages(entry):
        wrong.append("it names no packages")
    return wrong


def _errors_of_step(step, steps, from_elsewhere):
    s = steps.get(step.name, {})
    if s.get("verdict") == NOT_RUN:
        return [] if s.get("reason", "").strip() else ["it says not why it was not run"]
    if s.get("verdict") != PASSED:
        return [f"{s.get('verdict')}: {s.get('said')}"]
    wrong = [f"it passed, though {name} did not" for name in needs_of(step, from_elsewhere)
             if steps.get(name, {}).get("verdict") != PASSED]
    if s.get("seconds", -1) < 0 or not s.get("said"):  # 0.0 is less than a twentieth of a second
        wrong.append("it has no time, or has said nothing")
    return wrong


def _names_packages(entry):
    packages = entry.get("packages", {})
    return len(packages) >= 3 and all(p.get("version") and p.get("bytes") for p in packages.values())
