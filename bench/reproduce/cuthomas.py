# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Shows one thread per system, with the arrays transformed for it or as they are."""

from measurements import COLOURS, distinct, fraction, ms, select, short, table, times_floor, usable

THOMAS = "tridia cuda, thomas"
MOVING = "transformation"
# These are the layouts of variable batches that go in as their owner holds them.
INPUTS = ("padded", "packed")


def columns_of(rows):
    """Returns pairs of a heading and what its rows have in common."""
    interleaved = distinct(r["solver"] for r in rows if "Interleaved" in r["solver"])
    strided = distinct(r["solver"] for r in rows if "Strided" in r["solver"])
    return [
        *((name.replace("cuSPARSE ", ""), {"solver": name}) for name in strided),
        ("thomas as it is", {"solver": THOMAS, "parameter": None, "layout": "contiguous"}),
        ("full", {"solver": THOMAS, "parameter": "transformation full"}),
        ("of which moving", {"solver": MOVING, "parameter": "full"}),
        ("blocks", {"solver": THOMAS, "parameter": "transformation blocks"}),
        ("automatic", {"solver": "tridia cuda", "layout": "contiguous"}),
        ("thomas interleaved", {"solver": THOMAS, "parameter": None, "layout": "interleaved"}),
        *((name.replace("cuSPARSE ", ""), {"solver": name}) for name in interleaved),
        ("automatic interleaved", {"solver": "tridia cuda", "layout": "interleaved"}),
    ]


def with_fraction(row):
    return f"{ms(row)} ({fraction(row)})" if row["roofline_fraction"] else ms(row)


def uniform(rows):
    return [r for r in rows if r["n"] and "ragged" not in r["case"]]


def show(rows):
    columns = columns_of(rows)
    for kind in ("f64", "f32"):
        best = 0.0
        for n in sorted({r["n"] for r in uniform(rows)}):
            print(f"{kind}, systems of {n} rows: milliseconds (roofline fraction)")
            lines, wins = [], None
            for batch in sorted({r["batch"] for r in uniform(rows) if r["n"] == n}):
                found = [select(uniform(rows), type=kind, n=n, batch=batch, **f)
                         for _, f in columns]
                lines.append((batch, *(with_fraction(f[0]) if f else "-" for f in found)))
                times = {name: f[0]["ms"] for (name, _), f in zip(columns, found) if f}
                peer, thomas = times.get("gtsv2StridedBatch"), times.get("thomas interleaved")
                if peer and thomas:
                    best = max(best, peer / thomas)
                    wins = None if thomas > peer else wins or batch
            table(("batch", *(name for name, _ in columns)), lines)
            print(f"one thread a system (interleaved) beats gtsv2StridedBatch from a batch of "
                  f"{wins}\n" if wins else "one thread a system does not win\n")
        paper = {"f64": 5, "f32": 6}[kind]
        print(f"{kind}: up to {best:.1f} times as fast as gtsv2StridedBatch; the paper (P100): up "
              f"to {paper} times\n")
    show_variable(rows)


def show_variable(rows):
    print("systems of 64 to 1024 rows: milliseconds, and times the floor of their bytes")
    def name(r):
        lies = f" {r['layout']}" if r["layout"] in INPUTS else ""
        if r["solver"] in (THOMAS, MOVING):
            return f"{short(r)}, {r['parameter'] or ('lies' + lies if lies else 'as it is')}"
        return short(r) + (", lies" + lies if lies else "")

    lines = [(name(r),
              r["type"], r["batch"], ms(r), times_floor(r), fraction(r))
             for r in rows if usable(r) and "ragged" in r["case"]]
    table(("solver", "type", "batch", "ms", "floors", "roofline fraction"), lines)


def draw(rows, figure):
    panels = figure.subplots(1, 2, sharey=True)
    for panel, n in zip(panels, (64, 1024)):
        columns = [c for c in columns_of(rows) if c[1]["solver"] != MOVING]
        for colour, (name, fields) in zip(COLOURS, columns):
            points = sorted((r["batch"], r["ms"] / r["floor_ms"])
                            for r in select(uniform(rows), type="f64", n=n, **fields)
                            if r["floor_ms"])
            if points:
                panel.plot(*zip(*points), marker=".", color=colour, label=name)
        panel.set(xscale="log", yscale="log", xlabel="batch", title=f"systems of {n} rows, f64")
        panel.set_xscale("log", base=2)
    panels[0].set_ylabel("times the floor")
    panels[0].legend(fontsize=7)
