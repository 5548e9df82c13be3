#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows the results of tridia_bench, and checks them against the project's targets.

    report.py FILE.json              a table of every row, and how the targets are met
    report.py FILE.json --check      the targets only; exit code 1 if one is missed or not measured
    report.py FILE.json --markdown   the tables of the README
    report.py FILE.json --named 5    the cases of `tridia reproduce` in which an algorithm that is asked
                                     for by its name is faster than `automatic` by more than 5 %; exit
                                     code 1 if there is one, or `automatic` was not measured

Needs Python 3.8, and nothing else.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from typing import Optional

import migrate
import targets_cuda

ROWS, SYSTEMS = 512, 16384


def load(path):
    """Loads results of any format, and returns them with the names of the newest."""
    with open(path, encoding="utf-8") as file:
        return migrate.upgrade(json.load(file))


def usable(row):
    return row["ms"] is not None and not row.get("error")


def select(rows, **fields):
    """Returns the usable rows whose fields have these values, in the file's order."""
    return [r for r in rows if usable(r) and all(r[k] == v for k, v in fields.items())]


def main_case(rows, solver, **fields):
    """Returns rows of the case that the targets are about: one for each kind of matrix."""
    return select(rows, solver=solver, type="f64", n=ROWS, batch=SYSTEMS, boundary="regular",
                  **fields)


@dataclass
class Verdict:
    """Holds a target and what was measured; `value` is None if a row that it needs is absent."""

    name: str
    least: float
    value: Optional[float]
    detail: str
    judged: bool = True

    @property
    def met(self):
        return self.value is not None and self.value >= self.least

    def line(self):
        value = "not measured" if self.value is None else f"{self.value:.2f}"
        word = ("met" if self.met else "MISSED") if self.judged else "(for information)"
        return f"{self.name:<72} >= {self.least:<4} {value:>12}  {word:<18} {self.detail}"


def roofline(rows, name, least, **fields):
    """Returns the worst roofline fraction over the kinds of matrices."""
    found = [r for case in ("dominant", "random") for r in
             main_case(rows, "tridia cpu", case=case, **fields)]
    worst = min(found, key=lambda r: r["roofline_fraction"], default=None)
    if worst is None:
        return Verdict(name, least, None, "")
    return Verdict(name, least, worst["roofline_fraction"],
                   f"{worst['ms']:.2f} ms, floor {worst['floor_ms']:.2f} ms ({worst['case']})")


def ratio(rows, name, least, peer, pivoting, threads, judged=True):
    """Returns how many times as fast as the peer it is, for the worst kind of matrices."""
    worst = Verdict(name, least, None, "", judged)
    for case in ("dominant", "random"):
        fields = {"case": case, "layout": "contiguous", "threads": threads}
        ours = main_case(rows, "tridia cpu", pivoting=pivoting, **fields)
        theirs = main_case(rows, peer, **fields)
        if not ours or not theirs:
            continue
        value = theirs[0]["ms"] / ours[0]["ms"]
        if worst.value is None or value < worst.value:
            worst.value = value
            worst.detail = f"{theirs[0]['ms']:.1f} ms against {ours[0]['ms']:.1f} ms ({case})"
    return worst


def targets(results):
    """Returns the speed targets of a CPU: f64, 512 rows x 16384 systems."""
    rows = results["rows"]
    cores = max((r["threads"] or 1 for r in rows), default=1)
    every = {"threads": cores}
    one, full = "one thread", "all cores"
    return [
        roofline(rows, f"interleaved, no pivoting, {full}: roofline fraction", 0.85,
                 layout="interleaved", pivoting="none", **every),
        roofline(rows, f"contiguous, no pivoting, {full}: roofline fraction", 0.70,
                 layout="contiguous", pivoting="none", **every),
        roofline(rows, f"contiguous, partial pivoting, {full}: roofline fraction", 0.45,
                 layout="contiguous", pivoting="partial", **every),
        ratio(rows, f"no pivoting, {one}, against LAPACKE dgtsv", 4, "LAPACKE gtsv", "none", 1),
        ratio(rows, f"partial pivoting, {one}, against LAPACKE dgtsv", 2.5, "LAPACKE gtsv",
              "partial", 1),
        # dgtsv pivots, so this is the same work; without pivoting it is only reported.
        ratio(rows, f"partial pivoting, {full}, against MKL dgtsv", 3, "MKL gtsv", "partial",
              cores),
        ratio(rows, f"no pivoting, {full}, against MKL dgtsv", 3, "MKL gtsv", "none", cores,
              judged=False),
    ]


def derive_targets(rows):
    """Returns the targets of `bench derive` on a CPU: each axis of 256^3, all threads."""
    cores = max((r["threads"] or 1 for r in rows), default=1)
    verdicts = []
    for boundary in ("regular", "periodic"):
        for layout in ("contiguous", "interleaved", "middle"):
            name = f"C6 first derivative, {layout}, {boundary}: roofline fraction"
            found = select(rows, solver="tridia cpu", case="C6 first derivative", threads=cores,
                           layout=layout, boundary=boundary)
            verdicts.append(Verdict(name, 0.70, found[0]["roofline_fraction"],
                                    f"{found[0]['ms']:.2f} ms, floor {found[0]['floor_ms']:.2f} ms")
                            if found else Verdict(name, 0.70, None, ""))
    for peer, threads in (("LAPACKE gttrs", cores), ("LAPACKE gttrs", 1),
                          ("SciPy solve_banded", 1), ("SciPy dgttrs", 1)):
        for layout in ("contiguous", "interleaved", "middle"):
            verdicts.append(derive_ratio(rows, peer, layout, threads))
    return verdicts


def derive_ratio(rows, peer, layout, threads):
    """Returns how many times as fast as the peer it is on the same field, for information."""
    fields = {"case": "C6 first derivative", "layout": layout, "boundary": "regular",
              "threads": threads}
    ours, theirs = (select(rows, solver=s, **fields) for s in ("tridia cpu", peer))
    count = "1 thread" if threads == 1 else f"{threads} threads"
    verdict = Verdict(f"C6 first derivative, {layout}, {count}, against {peer}", 1, None, "",
                      judged=False)
    if ours and theirs:
        verdict.value = theirs[0]["ms"] / ours[0]["ms"]
        verdict.detail = f"{theirs[0]['ms']:.1f} ms against {ours[0]['ms']:.1f} ms"
    return verdict


AUTOMATIC = "tridia cuda"


def ahead_of_automatic(rows, percent):
    """Returns a line for each row of a named algorithm that is faster than `automatic` by more than
    `percent`, or that has no measurement of `automatic` to compare with; and how many rows were
    compared."""
    def case(row):
        return tuple(row.get(k) for k in ("case", "type", "n", "batch", "layout", "boundary",
                                          "pivoting"))

    automatic = {case(r): r for r in select(rows, solver=AUTOMATIC)}
    named = [r for r in rows if usable(r) and r["solver"].startswith(AUTOMATIC + ", ")]
    lines = []
    for r in named:
        name = " ".join(p for p in (r["solver"][len(AUTOMATIC) + 2:], r["parameter"]) if p)
        what = f"{name}: {r['case']}, {r['type']}, {r['n']} x {r['batch']}, {r['layout']}"
        beside = automatic.get(case(r))
        if beside is None:
            lines.append(f"{what}: automatic was not measured")
        elif beside["ms"] > r["ms"] * (1 + percent / 100):
            lines.append(f"{what}: automatic takes {beside['ms'] / r['ms']:.3f} times as long "
                         f"({beside['ms']:.4f} ms against {r['ms']:.4f})")
    return lines, len(named)


def noise(rows):
    """Returns a sentence if the copies before and after the cases differ: then something else ran
    too."""
    after = ", after the cases"
    worst = 1.0
    for last in (r for r in rows if r["solver"] == "copy" and r["case"].endswith(after)):
        for first in select(rows, solver="copy", case=last["case"][:-len(after)],
                            threads=last["threads"]):
            worst = max(worst, first["ms"] / last["ms"], last["ms"] / first["ms"])
    if worst < 1.1:
        return None
    return (f"NOTE  the copy before the cases and the copy after them differ by {worst:.2f} times: "
            "the machine was not idle; measure again")


def number(value, form):
    return "-" if value is None else format(value, form)


def text(value):
    return "-" if value is None else str(value)


def table(rows):
    header = ("solver", "type", "n", "batch", "layout", "boundary", "pivoting", "thr", "case",
              "ms", "min", "reps", "floor", "roofline", "residual", "workspace")
    lines = [header]
    for r in rows:
        lines.append((
            r["solver"], text(r["type"]), text(r["n"]), text(r["batch"]), text(r["layout"]),
            text(r["boundary"]), text(r["pivoting"]), text(r.get("threads")), r["case"],
            number(r["ms"], ".3f"), number(r["ms_min"], ".3f"), text(r["repetitions"]),
            number(r["floor_ms"], ".3f"), number(r["roofline_fraction"], ".3f"),
            number(r["residual"], ".1e"), text(r["workspace_bytes"])))
    widths = [max(len(line[k]) for line in lines) for k in range(len(header))]
    numeric = {2, 3, 7, 9, 10, 11, 12, 13, 14, 15}
    out = []
    for line in lines:
        out.append("  ".join(cell.rjust(w) if k in numeric else cell.ljust(w)
                             for k, (cell, w) in enumerate(zip(line, widths))).rstrip())
    for r in rows:
        if r.get("error"):
            out.append(f"ERROR  {r['solver']}, {r['case']}: {r['error']}")
    return "\n".join(out)


def machine_line(results):
    m = results["machine"]
    parts = [m["device"], f"{m['cores']} cores" if not m["cuda"] else f"CUDA {m['cuda']}",
             m.get("simd"), f"driver {m['driver']}" if m["driver"] else None]
    return ", ".join(p for p in parts if p)


def markdown(results):
    """Makes a table for each matrix size and type: a line per case, with the fastest peer there."""
    rows = [r for r in results["rows"] if usable(r) and r["solver"] != "copy"]
    ours = [r for r in rows if r["solver"].startswith("tridia")]
    peers = [r for r in rows if not r["solver"].startswith("tridia")]
    on_device = any(r["solver"] == "tridia cuda" for r in ours)
    most = max((r.get("threads") or 0 for r in rows), default=0)
    same = ("type", "n", "batch", "layout", "boundary", "threads", "case")

    out = [f"Measured on {machine_line(results)}; medians, {results['date'][:10]}, "
           f"tridia {results['versions']['tridia']}.", ""]
    threads_head, threads_rule = ("", "") if on_device else (" threads |", "---:|")
    out.append(f"| systems | layout | pivoting |{threads_head} ms | roofline fraction | "
               "fastest peer, times as long |")
    out.append(f"|---|---|---|{threads_rule}---:|---:|---|")
    for r in ours:
        if r["case"].endswith("aligned"):
            continue
        key = {k: r.get(k) for k in same}
        # A peer that pivots can be compared with a solve that does not; the reverse would be
        # another problem.
        beside = [p for p in peers if all(p.get(k) == v for k, v in key.items())
                  and (r["pivoting"] == "none" or p["pivoting"] == "partial")]
        best = min(beside, key=lambda p: p["ms"], default=None)
        peer = f"{best['solver']}, {best['ms'] / r['ms']:.1f}" if best else ""
        what = f"{r['type']}, {r['n']} x {r['batch']}"
        for extra in (r["boundary"] if r["boundary"] != "regular" else "",
                      "shared coefficients" if "shared" in r["case"] else "",
                      "random" if r["case"].startswith("random") else ""):
            what += f", {extra}" if extra else ""
        every = r["threads"] == most and most > 1
        count = "" if on_device else f" {'all' if every else r['threads']} |"
        out.append(f"| {what} | {r['layout']} | {r['pivoting']} |{count} {r['ms']:.2f} | "
                   f"{number(r['roofline_fraction'], '.2f')} | {peer} |")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description="Shows and checks the results of tridia_bench.")
    parser.add_argument("file", help="what tridia_bench --json wrote")
    parser.add_argument("--check", action="store_true",
                        help="the targets only; exit code 1 if one is missed or not measured")
    parser.add_argument("--markdown", action="store_true", help="the tables of the README")
    parser.add_argument("--named", type=float, metavar="PERCENT",
                        help="where a named algorithm is ahead of automatic by more; exit code 1 "
                             "if there is such a case")
    arguments = parser.parse_args()
    try:
        results = load(arguments.file)
        rows = results["rows"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        print(f"report.py: {arguments.file}: {problem!r}", file=sys.stderr)
        return 2

    if arguments.named is not None:
        ahead, compared = ahead_of_automatic(rows, arguments.named)
        print(*ahead, f"{compared} rows of named algorithms, {len(ahead)} ahead of automatic by more "
              f"than {arguments.named:g} %", sep="\n")
        return 1 if ahead or not compared else 0
    if arguments.markdown:
        print(markdown(results))
        return 0
    if not arguments.check:
        print(machine_line(results), results["command"], results["date"], "", sep="\n")
        print(table(rows), end="\n\n")
    on_gpu = any(r["solver"] == "tridia cuda" for r in rows)
    derived = any(r["case"] == "C6 first derivative" for r in rows)
    if on_gpu:
        verdicts = targets_cuda.judge(rows, targets_cuda.DERIVE_TARGETS if derived
                                      else targets_cuda.TARGETS)
    else:
        verdicts = derive_targets(rows) if derived else targets(results)
    for verdict in verdicts:
        print(verdict.line())
    missed = [v for v in verdicts if v.judged and not v.met]
    print(f"{len(verdicts)} targets, {len(missed)} missed or not measured")
    if noise(rows):
        print(noise(rows))
    errors = [r for r in rows if r.get("error")]
    for r in errors:
        print(f"ERROR  {r['solver']}, {r['case']}: {r['error']}")
    if arguments.check and (errors or missed):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
