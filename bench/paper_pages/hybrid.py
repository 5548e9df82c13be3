# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the part of hybrid: Zhang, Davidson, Cohen, Owens, 2010."""

import hybrid
from measurements import short
from readme import table
from report import usable

from .claims import KINDS, both, claims, cpu_name, measured, time_of, verdict


def best_switch(rows, kind, solver):
    found = hybrid.switch_points(rows, kind, solver)
    return min(((r["ms"], point) for point, r in found.items()))


def named_times(rows, kind):
    """Returns the milliseconds of the poster's solvers, the hybrids with their best switch point."""
    times = {name: time_of(rows, f"tridia cuda, {name}", type=kind, parameter=None)
             for name in ("thomas", "cr", "crnbc", "pcr")}
    return {**times, **{name: best_switch(rows, kind, name)[0] for name in hybrid.HYBRIDS}}


def solver_lines(rows):
    """Returns lines of microseconds by type: alone, and with the transfer for those of a GPU."""
    times = {}
    for r in rows:
        if not usable(r) or r["parameter"] or r["solver"] in ("copy", "transfer"):
            continue
        threads = r["threads"]
        name = cpu_name(short(r)) + (f", {threads} threads" if threads and threads > 1 else
                                     ", 1 thread" if threads else "")
        times.setdefault(name, {})[r["type"]] = r
    moved = {kind: time_of(rows, "transfer", type=kind) for kind in KINDS}
    lines = []
    for name, found in times.items():
        cells = []
        for kind in KINDS:
            r = found.get(kind)
            cells += ["-", "-"] if r is None else [
                f"{1e3 * r['ms']:.1f}", "-" if r["threads"] else f"{1e3 * (r['ms'] + moved[kind]):.0f}"]
        lines.append([name, *cells])
    for name in hybrid.HYBRIDS:
        cells = []
        for kind in KINDS:
            ms, point = best_switch(rows, kind, name)
            cells += [f"{1e3 * ms:.1f} ({point})", f"{1e3 * (ms + moved[kind]):.0f}"]
        lines.append([f"{name}, best switch point", *cells])
    return lines


def text(files, sources):
    rows = files[0]["rows"]
    named = [named_times(rows, kind) for kind in KINDS]
    best = [[best_switch(rows, kind, name) for kind in KINDS] for name in hybrid.HYBRIDS]
    moved = [time_of(rows, "transfer", type=kind) for kind in KINDS]
    automatic = [time_of(rows, "tridia cuda", type=kind) for kind in KINDS]
    peers = {most: [min(r["ms"] for r in rows if usable(r) and r["type"] == kind and r["threads"]
                        and r["solver"] != "copy" and not r["solver"].startswith("tridia")
                        and (r["threads"] > 1) == most)
                    for kind in KINDS] for most in (False, True)}
    fastest = [min(times, key=times.get) for times in named]
    whole = [a + m for a, m in zip(automatic, moved)]
    middle = [1 < point < 1024 for found in best for _, point in found]
    lines = [
        ("CR-PCR is faster than CR and than PCR",
         verdict([t["cr_pcr"] < min(t["cr"], t["pcr"]) for t in named]),
         "times of the better one: " + both([min(t["cr"], t["pcr"]) / t["cr_pcr"] for t in named],
                                            "{:.2f}")),
        ("PCR-Thomas is faster than PCR and than Thomas",
         verdict([t["pcr_thomas"] < min(t["pcr"], t["thomas"]) for t in named]),
         "times of the better one: "
         + both([min(t["pcr"], t["thomas"]) / t["pcr_thomas"] for t in named], "{:.2f}")),
        ("the best switch point is at neither end", verdict(middle),
         "; ".join(f"{name} " + both([point for _, point in found], "{}")
                   for name, found in zip(hybrid.HYBRIDS, best))),
        ("CR loses to its bank conflicts: CRNBC is faster",
         verdict([t["crnbc"] < t["cr"] for t in named]),
         both([t["cr"] / t["crnbc"] for t in named], "{:.2f} times") + "; conflicts were not counted"),
        ("a hybrid is the fastest of the poster's solvers",
         verdict([name in hybrid.HYBRIDS for name in fastest]),
         " and ".join(f"{name} ({kind})" for kind, name in zip(KINDS, fastest))),
        ("a GPU is faster than one core, and than all cores",
         verdict([p > a for found in peers.values() for p, a in zip(found, automatic)]),
         "`automatic` beside the fastest peer: one core "
         + both([p / a for p, a in zip(peers[False], automatic)], "{:.0f} times")
         + "; all cores " + both([p / a for p, a in zip(peers[True], automatic)], "{:.0f} times")),
        ("the transfer costs more than the solve",
         verdict([m > a for m, a in zip(moved, automatic)]),
         "times `automatic`: " + both([m / a for m, a in zip(moved, automatic)], "{:.0f}")),
        ("with the transfer, a GPU is still faster than all cores",
         verdict([p > w for p, w in zip(peers[True], whole)]),
         both([p / w for p, w in zip(peers[True], whole)], "{:.1f} times")),
    ]
    return [f"{measured(files[0], sources[0])} Microseconds for 1024 systems of 1024 rows, alone and with "
            "the transfer (page-locked memory) of all arrays.", "",
            *table(["solver", "f32", "with transfer", "f64", "with transfer"], solver_lines(rows)), "",
            *claims(lines), "",
            f"Steps and work, as the poster counts them ({hybrid.STEPS_OF}):", "",
            *table(*hybrid.steps_table())]
