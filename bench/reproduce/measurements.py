# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Gets measurements and their rows, and makes tables of them."""

from pathlib import Path

# tridia and its benchmarks are here: this folder is share/tridia/reproduce beside them.
PROGRAMS = Path(__file__).resolve().parents[3] / "bin"
INK = "#444444"
COLOURS = ("#1f5fb4", "#c2620e", "#2a7f3f", "#8a3ab0", "#a02c2c", "#0f8a8a", "#7a6a1a", "#555555",
           "#d05a9a")


def usable(row):
    return row["ms"] is not None and not row.get("error")


def select(rows, **fields):
    return [r for r in rows if usable(r) and all(r.get(k) == v for k, v in fields.items())]


def short(row):
    """Returns the solver's name without the library's; the library's choice is `automatic`."""
    name = row["solver"]
    if name == "tridia cuda":
        return "automatic"
    return name.replace("tridia cuda, ", "")


def number(parameter):
    return int(parameter.rsplit(" ", 1)[1])


def ms(row):
    return f"{row['ms']:.4f}"


def fraction(row):
    return f"{row['roofline_fraction']:.3f}" if row["roofline_fraction"] else "-"


def times_floor(row):
    return f"{row['ms'] / row['floor_ms']:.2f}" if row["floor_ms"] else "-"


def table(head, lines):
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        cells = [str(c).ljust(w) if i == 0 else str(c).rjust(w)
                 for i, (c, w) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())
    print()


def distinct(values):
    return list(dict.fromkeys(values))
