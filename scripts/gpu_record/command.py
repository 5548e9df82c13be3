# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Implements the command line of scripts/gpu-check."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import gtest, record, report, sharing, stamp, steps
from .families import BY_NAME, ORDER
from .jobs import Runner
from .machine import find_machine
from .sources import MissingSource, Tree

ROOT = Path(__file__).resolve().parent.parent.parent


def make_parser():
    p = argparse.ArgumentParser(
        prog="scripts/gpu-check",
        description="Asks a GPU about every family of kernels, and records what it says in "
                    "tests/gpu_record.json and in the README.")
    p.add_argument("--no-build", action="store_true",
                   help="take the programs under build/cuda/bin and build/cuda-ptx80/bin, which "
                        "--build-only has built from the same sources elsewhere")
    p.add_argument("--build-only", action="store_true", help="build and ask nothing")
    p.add_argument("--quick", action="store_true",
                   help="a third of the tests and memcheck alone; nothing is recorded")
    p.add_argument("--family", action="append", choices=ORDER, metavar="NAME",
                   help="ask about this family alone; may be given again: " + ", ".join(ORDER))
    p.add_argument("--logs", type=Path, metavar="DIR",
                   help="where the log of all output, and a copy of the record, are put (default: "
                        "build/gpu-check)")
    p.add_argument("--json-dir", type=Path, metavar="DIR",
                   help="run the benchmark as well, afterwards: DIR/solve.json, DIR/derive.json")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                   help="programs that run beside each other (default: as many as cores)")
    p.add_argument("--stop-after", type=float, metavar="SECONDS",
                   help="end whatever still runs then; it counts as failed")
    p.add_argument("--not-run", metavar="REASON",
                   help="record that no GPU was asked about these sources; needs none")
    p.add_argument("--verify", action="store_true",
                   help="compare the record with the sources and the README; needs no GPU")
    p.add_argument("--readme", action="store_true", help="write the README's table; needs no GPU")
    p.add_argument("--sources", action="store_true",
                   help="print the files that a digest covers; needs no GPU")
    p.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return p


class Check:
    """Holds a tree with its record."""

    def __init__(self, root, families):
        self.root = root
        self.names = tuple(families or ORDER)
        self.record_path = root / "tests/gpu_record.json"
        self.readme_path = root / "README.md"

    def digests(self, names=ORDER):
        tree = Tree(self.root)  # reads all files anew
        return {name: tree.digest(tree.find(BY_NAME[name].roots)) for name in names}

    def store(self, changed):
        entries = {**record.load(self.record_path), **changed}
        record.store(self.record_path, entries)
        self.write_readme(entries)

    def write_readme(self, entries):
        text = self.readme_path.read_text(encoding="utf-8")
        self.readme_path.write_text(record.readme_with(text, entries), encoding="utf-8")


def verify(check):
    entries = record.load(check.record_path)
    errors, warnings = record.judge(entries, check.digests())
    text = check.readme_path.read_text(encoding="utf-8")
    if record.readme_with(text, entries) != text:
        errors.append("README.md does not show the record: scripts/gpu-check --readme")
    for line in record.readme_lines(entries):
        print(line)
    for warning in warnings:
        print(f"\n{'!' * 20} {warning} {'!' * 20}")
    for error in errors:
        print(f"ERROR: {error}", file=sys.stderr)
    if errors:
        print("Run scripts/gpu-check on a machine with a GPU, or record why it was not run: "
              "scripts/gpu-check --not-run REASON --family NAME", file=sys.stderr)
    return 1 if errors else 0


def print_sources(check):
    """Prints each family's files, and marks those that are its roots."""
    tree = Tree(check.root)
    lines = []
    for name in check.names:
        roots = tree.find(BY_NAME[name].roots)
        lines.append(f"{name}: {tree.digest(roots)}")
        lines += [f"  {'*' if p in roots else ' '} {p}" for p in tree.closure(roots)]
    print("\n".join(lines))
    return 0


def record_not_run(check, reason):
    if not reason.strip():
        print("--not-run: a reason is needed", file=sys.stderr)
        return 2
    digests = check.digests(check.names)
    check.store({name: record.not_run(digests[name], reason) for name in check.names})
    return 0


def why_unable(check, machine, name):
    """Returns why this machine cannot be asked about a family, or None."""
    if BY_NAME[name].gpus > machine.gpus:
        return f"it takes {BY_NAME[name].gpus} GPUs"
    if name == steps.PYTHON and not list((check.root / "build/cuda/python/tridia").glob("_native*")):
        return "the package is not built: --build-only builds it where scripts/test has been"
    return None


def select(check, machine, asked_for):
    """Returns the families that this machine can be asked about, or None."""
    reasons = {name: why_unable(check, machine, name) for name in check.names}
    able = tuple(name for name, reason in reasons.items() if reason is None)
    for name, reason in reasons.items():
        if reason is not None:
            print(f"{name}: stays as it is recorded, as {reason}")
    if not able or (asked_for and len(able) < len(check.names)):
        return None
    return able


def why_not_older(request, digests):
    """Returns why compute_80 cannot be run, or None."""
    folder = request.older_bin
    if not (folder / steps.SMALL).exists():
        return f"there is no {folder.relative_to(request.root)}/{steps.SMALL}"
    if stamp.differing(folder, digests):
        return f"{folder.relative_to(request.root)} was built from other sources"
    return None


def plan(request, with_older):
    """Returns all jobs that run at the same time. Those that take longest come first."""
    jobs = steps.older_cards(request) if with_older else []
    for tool in steps.TOOLS[:1] if request.quick else steps.TOOLS:
        jobs += steps.sanitizer(request, tool)
    return jobs + steps.suites(request) + steps.command_line(request) + steps.python(request)


def run_jobs(runner, request, with_older):
    began = time.monotonic()
    with sharing.service(request.work) as request.sharing:
        jobs, alone = plan(request, with_older), steps.ranks(request)
        progress = report.Progress([*jobs, *alone], began, time.monotonic)
        runner.run_all(jobs, sharing.visible_gpus(request.gpus), progress.add)
    for job in alone:
        progress.add(runner.run(job))
    print(f"[{time.monotonic() - began:5.0f} s] all")
    return progress.finished


def ask(check, arguments, work):
    """Asks the GPU. Returns the exit code. `work` is an empty folder."""
    began = time.monotonic()
    deadline = began + arguments.stop_after if arguments.stop_after else None
    if not arguments.no_build:
        stamp.build(check.root, check.digests, arguments.jobs)
    machine = find_machine()
    if machine is None:
        print("no GPU is visible", file=sys.stderr)
        return 1
    print(f"{machine.gpus} x {machine.card}, driver {machine.driver}, CUDA {machine.cuda}; "
          f"{arguments.jobs} jobs beside each other")
    names = select(check, machine, arguments.family)
    if names is None:
        return 2
    digests = check.digests(names)
    request = steps.Request(check.root, names, arguments.quick, work, machine.gpus)
    stale = stamp.differing(request.bin, digests)
    if stale:
        print(f"{request.bin} was built from other sources ({', '.join(stale)}), or nothing says "
              f"from which: scripts/gpu-check --build-only", file=sys.stderr)
        return 2
    older_reason = why_not_older(request, digests)
    logs = (arguments.logs or check.root / "build/gpu-check").resolve()
    logs.mkdir(parents=True, exist_ok=True)
    with open(logs / "gpu-check.log", "w", encoding="utf-8") as log:
        runner = Runner(arguments.jobs, log, deadline)
        finished = run_jobs(runner, request, older_reason is None)
        for name in names:
            met = sorted(report.kernels_met(name, finished))
            log.write(f"\n==== {name}: kernels of the small cases\n" + "\n".join(met) + "\n")
    code = conclude(check, arguments, logs, machine, digests, finished, older_reason)
    if arguments.json_dir:
        code = max(code, run_benchmarks(request, arguments.json_dir.resolve()))
    return code


def conclude(check, arguments, logs, machine, digests, finished, older_reason):
    entries = {name: report.entry_of(BY_NAME[name], digest, machine, finished, older_reason)
               for name, digest in digests.items()}
    report.print_slowest(finished)
    report.print_failures(finished)
    report.print_entries(entries)
    if arguments.quick:
        print("Nothing was recorded: --quick asks about a part.")
        return 0 if all(done.good for done in finished) else 1
    check.store(entries)
    shutil.copy(check.record_path, logs)
    return 0 if all(e["verdict"] != record.FAILED for e in entries.values()) else 1


def run_benchmarks(request, folder):
    folder.mkdir(parents=True, exist_ok=True)
    code = 0
    for command in steps.benchmarks(request, folder):
        print("\n== benchmark: " + " ".join(str(c) for c in command), flush=True)
        code = max(code, min(subprocess.run([str(c) for c in command], check=False).returncode, 1))
    return code


def main(given=None):
    arguments = make_parser().parse_args(given)
    check = Check(arguments.root, arguments.family)
    try:
        if arguments.verify:
            return verify(check)
        if arguments.sources:
            return print_sources(check)
        if arguments.not_run is not None:
            return record_not_run(check, arguments.not_run)
        if arguments.readme:
            check.write_readme(record.load(check.record_path))
            return 0
        if arguments.build_only:
            stamp.build(check.root, check.digests, arguments.jobs)
            return 0
        with tempfile.TemporaryDirectory() as work:
            return ask(check, arguments, Path(work))
    except (MissingSource, gtest.NoList, stamp.Changed) as failure:
        print(f"gpu-check: {failure}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as failure:
        print(f"gpu-check: {failure}", file=sys.stderr)
        return 1
