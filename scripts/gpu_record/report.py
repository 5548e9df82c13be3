# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Reports the results of jobs: while they run, at the end, and as entries of the record."""

from collections import Counter
from dataclasses import asdict

from .families import family_of
from .gtest import Results
from .record import MOST_COMPLAINTS, now, verdict_of
from .steps import COMMAND_LINE, OLDER_CARDS, PYTHON, RANKS, SUITES, TOOLS

# These are characters: the output of jobs that failed is cut to them, so that the end of the output
# holds all of it.
MOST_OF_A_JOB, MOST_OF_ALL = 1800, 8000
IN_SUITES = (SUITES, COMMAND_LINE, PYTHON, RANKS)


class Progress:
    """Prints a line for each step that has ended, and for each job that failed."""

    def __init__(self, jobs, began, clock):
        self._open = Counter(job.step for job in jobs)
        self._jobs = dict(self._open)
        self._seconds = Counter()
        self._began, self._clock = began, clock
        self.finished = []

    def add(self, done):
        self.finished.append(done)
        step = done.job.step
        self._open[step] -= 1
        self._seconds[step] += done.seconds
        at = self._clock() - self._began
        if not done.good:
            print(f"[{at:5.0f} s] FAILED {step}: {done.job.label}", flush=True)
        if self._open[step] == 0:
            print(f"[{at:5.0f} s] {step}: {self._jobs[step]} jobs, "
                  f"{self._seconds[step]:.0f} s of them together", flush=True)


def _results_of(name, finished, steps):
    whole = Results()
    for done in finished:
        if done.job.step not in steps or name not in done.job.families:
            continue
        alone = len(done.job.families) == 1
        whole.add(done.results if alone else done.results.only(lambda t: family_of(t) == name))
    return whole


def _sanitizer_of(name, finished):
    figures = {}
    for tool in TOOLS:
        results = _results_of(name, finished, (tool,))
        errors = sum(d.figures.get("errors", 0) for d in finished
                     if d.job.step == tool and name in d.job.families)
        figures[tool] = {"passed": len(results.passed), "failed": len(results.bad),
                         "errors": errors}
    return figures


def _kernels_met(results):
    return {kernel for properties in results.properties.values()
            for kernel in properties.get("kernels", "").split()}


def kernels_met(name, finished):
    """Returns the kernels that the small cases of a family launched, as tests/small/kernels.hpp
    records them: each variant of a template is one."""
    return _kernels_met(_results_of(name, finished, (SUITES,)))


def _complaints_of(name, finished):
    lines = []
    for done in finished:
        if name not in done.job.families:
            continue
        lines += [f"{done.job.step}: {done.job.label}: {c}" for c in done.complaints]
        lines += [f"{done.job.step}: {t}" for t in sorted(done.results.bad)
                  if len(done.job.families) == 1 or family_of(t) == name]
    return lines


def entry_of(family, digest, machine, finished, older_reason):
    """Returns an entry of the record. `older_reason` says why compute_80 was not run, or is
    None."""
    suites = _results_of(family.name, finished, IN_SUITES)
    entry = {"verdict": None, "digest": digest, **asdict(machine), "date": now()}
    entry["suites"] = {"passed": len(suites.passed), "failed": len(suites.bad),
                       "skipped": len(suites.skipped)}
    if family.sanitized:
        entry["sanitizer"] = _sanitizer_of(family.name, finished)
        entry["kernels"] = len(_kernels_met(suites))
    if family.older_cards:
        older = _results_of(family.name, finished, (OLDER_CARDS,))
        entry[OLDER_CARDS] = ({"reason": older_reason} if older_reason else
                              {"passed": len(older.passed), "failed": len(older.bad)})
    complaints = _complaints_of(family.name, finished)
    if complaints:
        more = len(complaints) - MOST_COMPLAINTS
        entry["complaints"] = complaints[:MOST_COMPLAINTS] + ([f"{more} more"] if more > 0 else [])
    entry["verdict"] = verdict_of(family.name, entry)
    return entry


def _excerpt(done):
    """Returns what a failed job says: which tests failed, and the end of its output."""
    head = [f"---- {done.job.step}: {done.job.label}: exit code {done.code}"]
    head += [f"     {c}" for c in done.complaints]
    head += [f"     failed: {t}" for t in sorted(done.results.failed)[:5]]
    head += [f"     lost: {t}" for t in sorted(done.results.lost)[:5]]
    told = done.output.strip()
    first = next((told.find(mark) for mark in ("Failure\n", "========= Error", "FAIL: ", "ERROR: ")
                  if mark in told), 0)
    start = max(told.rfind("\n", 0, first), 0)
    return "\n".join(head) + "\n" + told[start : start + MOST_OF_A_JOB].strip()


def print_failures(finished):
    shown = 0
    for done in sorted((d for d in finished if not d.good), key=lambda d: len(d.output)):
        text = _excerpt(done)
        if shown + len(text) > MOST_OF_ALL:
            print("---- more has failed: see the log")
            return
        shown += len(text)
        print(text, flush=True)


def print_slowest(finished, count=5):
    times = {t: s for d in finished if d.job.step == SUITES for t, s in d.results.seconds.items()}
    slowest = sorted(times, key=times.get, reverse=True)[:count]
    print("slowest tests: " + ", ".join(f"{t} {times[t]:.1f} s" for t in slowest))


def print_entries(entries):
    for name, entry in entries.items():
        counts = entry["suites"]
        parts = [f"{counts['passed']} passed, {counts['failed']} failed, "
                 f"{counts['skipped']} skipped"]
        parts += [f"{tool}: {f['passed']} tests, {f['errors']} errors"
                  for tool, f in entry.get("sanitizer", {}).items()]
        older = entry.get(OLDER_CARDS, {})
        parts += [f"{OLDER_CARDS}: {k} {v}" for k, v in older.items()]
        print(f"{name}: {entry['verdict'].upper()}: " + "; ".join(parts))
