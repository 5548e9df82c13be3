# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the part of neato: Srinath, 2015, table 4.1."""

import neato
from readme import table
from report import select, usable

from .claims import claims, measured, spread, verdict


def text(files, sources):
    rows = files[0]["rows"]
    columns = neato.columns_of(rows)
    found = {size: [pick(neato.of_size(rows, size)) for _, pick, _ in columns]
             for size in neato.TABLE_4_1}
    ours = {size: [cell[0]["ms"] if cell else None for cell in cells] for size, cells in found.items()}
    threads = max(cell[0]["threads"] for cells in found.values() for cell in cells[1:2] if cell)
    peer = found[(32, 32)][0][0]["solver"]
    lines = []
    for (n, batch), paper in neato.TABLE_4_1.items():
        cells = []
        for ms, (_, _, column) in zip(ours[n, batch], columns):
            then = paper[column] if column is not None else None
            cells.append(("-" if ms is None else f"{ms:.4g}")
                         + ("" if column is None else f" [{'-' if then is None else f'{then:g}'}]"))
        lines.append([f"{n} x {batch}", *cells])
    head = ["rows x systems", f"{peer}, 1 core [1]", f"{threads} cores [8]", "cuSPARSE", "NEATO, global",
            "NEATO, shared", "automatic"]

    def ratio(a, b):
        return {size: t[a] / t[b] for size, t in ours.items() if t[a] and t[b]}

    def then(a, b):
        return {size: t[a] / t[b] for size, t in neato.TABLE_4_1.items() if t[a] and t[b]}

    shared, planes = ratio(3, 4), [s for s in ours if s[0] == s[1]]
    gains = {name: (ratio(k, 4), then(k, 4)) for name, k in (("one core", 0), ("all cores", 1),
                                                             ("cuSPARSE", 2))}
    lapack = [a["ms"] / b["ms"] for a in rows if usable(a) and a["solver"] == "MKL gtsv"
              for b in rows if usable(b) and b["solver"] == "LAPACKE gtsv"
              and all(a[k] == b[k] for k in ("n", "batch", "threads"))]
    dtsvb = {r["threads"]: r["ms"] for r in select(rows, solver="MKL dtsvb", n=512, batch=262144)}
    named = ratio(5, 4)
    losses = [f"{n} x {b} ({named[n, b]:.2f})" for n, b in named if named[n, b] > 1]
    per_row = {size: 1e6 * t[0] / (size[0] * size[1]) for size, t in ours.items()}
    claims_of = [
        ("shared memory beats global memory in nearly all cases", verdict([v > 1 for v in shared.values()]),
         f"in {sum(v > 1 for v in shared.values())} of {len(shared)} rows, by {spread(shared.values())} "
         "times"),
        ("global memory wins at 2048 x 2048", verdict([shared[2048, 2048] < 1]),
         f"it takes {shared[2048, 2048]:.2f} times as long [{then(3, 4)[2048, 2048]:.2f}]"),
        ("the gain from shared memory diminishes with the size (planes)",
         verdict([shared[a] > shared[b] for a, b in zip(planes, planes[1:])]),
         ", ".join(f"{n}: {shared[n, n]:.1f}" for n, _ in planes)),
        *((f"shared NEATO is faster than {name}", verdict([v > 1 for v in now.values()]),
           f"{spread(now.values(), '{:.3g}')} times; 256 x 65536: {now[256, 65536]:.3g} "
           f"[{was[256, 65536]:.3g}]") for name, (now, was) in gains.items()),
        ("cuSPARSE has no room for 512 x 262144", verdict([ours[512, 262144][2] is None]),
         f"{ours[512, 262144][2]:.3g} ms" if ours[512, 262144][2] else "refused"),
    ]
    return [f"{measured(files[0], sources[0])} f64, milliseconds, in brackets the thesis's (K20; MKL on one "
            f"and eight cores of a Xeon E5-2670 v2). The cores are those of the GPU's host; {peer} is called "
            "once for each system, which has a matrix of its own.", "",
            *table(head, lines), "", *claims(claims_of), "",
            f"MKL's gtsv takes {spread(lapack)} times as long as LAPACK's. MKL's dtsvb, without pivoting, "
            f"takes {dtsvb[1]:.0f} ms on one core and {dtsvb[threads]:.0f} on {threads} for the last row. "
            f"One core takes {spread(per_row.values(), '{:.1f}')} ns a row here, and the thesis's takes "
            f"{spread([1e6 * t[0] / (n * b) for (n, b), t in neato.TABLE_4_1.items() if n * b > 10**6], '{:.1f}')} "
            "where there are more than 10^6 rows. Rows in which shared NEATO is ahead of "
            f"`automatic` (its time over NEATO's): {', '.join(losses) or 'none'}.",
            *(["", *calls_text(files[-1], sources[-1])] if one_call(files[-1]) else [])]


def one_call(results):
    """Returns whether MKL was called once for all right-hand sides of a matrix, too."""
    return bool(select(results["rows"], solver="MKL gtsv, many right-hand sides"))


def calls_text(results, source):
    """Returns what tells which call of MKL the thesis's column is: one for each system, or one for all
    right-hand sides of a matrix."""
    rows, lines = results["rows"], []
    columns = (("MKL gtsv, a call a system", "MKL gtsv"),
               ("MKL gtsv, one call for all", "MKL gtsv, many right-hand sides"),
               ("tridia, constants", "tridia cpu"))
    for (n, batch), paper in neato.TABLE_4_1.items():
        found = [select(rows, solver=solver, threads=1, n=n, batch=batch) for _, solver in columns]
        if all(found):
            lines.append([f"{n} x {batch}",
                          *(f"{1e6 * f[0]['ms_min'] / (n * batch):.2f}" for f in found),
                          f"[{1e6 * paper[0] / (n * batch):.2f}]"])
    remark = f"; {results['remark']}" if results.get("remark") else ""
    return ["Nanoseconds a row by one core, the shortest repetition, for systems with a matrix of their own and "
            f"for right-hand sides of one matrix, as the thesis has them ({results['machine']['device']}, "
            f"{results['date'][:10]}{remark}, [results]({source})). The thesis does not say which call it "
            "timed:", "",
            *table(["rows x systems", *(name for name, _ in columns), "thesis, MKL, 1 core"], lines)]
