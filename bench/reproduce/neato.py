# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows NEATO: constant coefficients on one GPU."""

from measurements import COLOURS, distinct, fraction, select, table, usable

# This is table 4.1 of the thesis, in milliseconds, double precision: a core and eight of a Xeon
# E5-2670 v2 (MKL), cuSPARSE, NEATO in global and in shared memory on a K20.
TABLE_4_1 = {(32, 32): (0.045, 0.042, 0.273, 0.201, 0.024),
             (64, 64): (0.048, 0.048, 0.271, 0.247, 0.025),
             (128, 128): (0.089, 0.084, 0.271, 0.284, 0.032),
             (256, 256): (0.263, 0.107, 0.305, 0.326, 0.066),
             (512, 512): (0.959, 0.299, 0.629, 0.403, 0.272),
             (1024, 1024): (3.775, 1.023, 1.939, 1.375, 1.252),
             (2048, 2048): (16.272, 4.823, 7.607, 5.811, 10.407),
             (32, 1024): (0.152, 0.094, 0.31, 0.207, 0.092),
             (64, 4096): (0.879, 0.306, 0.556, 0.751, 0.409),
             (128, 16384): (7.052, 2.553, 3.128, 3.669, 2.225),
             (256, 65536): (63.858, 18.792, 28.495, 21.148, 12.565),
             (512, 262144): (515.792, 196.748, None, 145.34, 125.311)}
NEATO = "tridia cuda, neato"


def columns_of(rows):
    """Returns triples of a heading, the rows of a size that are meant, and the paper's column."""
    def on_cpu(most):
        def pick(found):
            # MKL is shown if it was found, as in the thesis.
            peers = select(found, solver="MKL gtsv") or select(found, solver="LAPACKE gtsv")
            return [r for r in peers if (r["threads"] > 1) == most]
        return pick
    return [
        ("CPU, 1 core", on_cpu(False), 0),
        ("CPU, all cores", on_cpu(True), 1),
        ("cuSPARSE", lambda found: select(found, solver="cuSPARSE gtsv2StridedBatch"), 2),
        ("NEATO global", lambda found: select(found, solver=NEATO, parameter="memory global"), 3),
        ("NEATO shared", lambda found: select(found, solver=NEATO, parameter="memory shared"), 4),
        ("automatic", lambda found: select(found, solver="tridia cuda"), None),
    ]


def of_size(rows, size):
    return [r for r in rows if usable(r) and (r["n"], r["batch"]) == size]


def show(rows):
    columns = columns_of(rows)
    cpus = distinct(f"{r['solver']} ({r['threads']} threads)" for r in rows
                    if r["threads"] is not None and r["solver"] != "copy")
    show_cpus(rows)
    print(f"table 4.1, milliseconds; in brackets the thesis's (K20, 2015). CPU: {', '.join(cpus)}")
    lines, fractions = [], []
    for size, paper in TABLE_4_1.items():
        found = [pick(of_size(rows, size)) for _, pick, _ in columns]
        cells = []
        for cell, (_, _, column) in zip(found, columns):
            then = paper[column] if column is not None else None
            cells.append((f"{cell[0]['ms']:.4f}" if cell else "-")
                         + (f" [{then}]" if then is not None else ""))
        lines.append((f"{size[0]} x {size[1]}", *cells))
        fractions.append((f"{size[0]} x {size[1]}",
                          *(fraction(c[0]) if c else "-" for c in found)))
    table(("rows x systems", *(name for name, _, _ in columns)), lines)
    print("roofline fractions, each of its own fewest bytes")
    table(("rows x systems", *(name for name, _, _ in columns)), fractions)


def show_cpus(rows):
    """Shows what a CPU takes a row, by one call for each system and by one for all right-hand sides of a
    matrix: the thesis does not say which its column is."""
    solvers = [(solver, threads) for solver, threads in
               sorted({(r["solver"], r["threads"]) for r in rows if usable(r) and r["threads"]
                       and r["solver"] != "copy"})]
    lines = []
    for n, batch in TABLE_4_1:
        cells = []
        for solver, threads in solvers:
            found = select(rows, solver=solver, threads=threads, n=n, batch=batch)
            cells.append(f"{1e6 * found[0]['ms'] / (n * batch):.2f}" if found else "-")
        paper = TABLE_4_1[n, batch]
        lines.append((f"{n} x {batch}", *cells, *(f"[{1e6 * t / (n * batch):.2f}]" for t in paper[:2])))
    print("nanoseconds a row on a CPU; in brackets the thesis's MKL, on one core and eight")
    table(("rows x systems", *(f"{s}, {t}" for s, t in solvers), "1", "8"), lines)


def draw(rows, figure):
    panels = figure.subplots(1, 2, sharey=True)
    for panel, title, sizes in ((panels[0], "planes: n systems", [s for s in TABLE_4_1
                                                                   if s[0] == s[1]]),
                                (panels[1], "cubes: n^2 systems", [s for s in TABLE_4_1
                                                                   if s[0] != s[1]])):
        for colour, (name, pick, column) in zip(COLOURS, columns_of(rows)):
            points = [(n, pick(of_size(rows, (n, b)))) for n, b in sizes]
            points = [(n, found[0]["ms"]) for n, found in points if found]
            if points:
                panel.plot(*zip(*points), marker="o", color=colour, label=name)
            if column is not None:
                then = [(s[0], TABLE_4_1[s][column]) for s in sizes
                        if TABLE_4_1[s][column] is not None]
                panel.plot(*zip(*then), ":", color=colour, linewidth=1)
        panel.set_xscale("log", base=2)
        panel.set(yscale="log", xlabel="rows", title=title)
    panels[0].set_ylabel("ms (dotted: the thesis)")
    panels[0].legend(fontsize=7)
