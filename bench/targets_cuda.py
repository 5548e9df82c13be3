# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Holds the targets on a GPU, as data: rows of a results file, and the most that they may be.

Names are those of the rows' fields. A field with several values stands for as many rows, each of
which is judged; one that is not there counts as missed.
"""

from dataclasses import dataclass, field
from itertools import product
from typing import Optional

SHORT = (8, 16, 33, 64, 100, 127, 256, 500, 512, 1000, 1024, 2048)
ACROSS = (8, 16, 32, 64, 128, 256, 512, 1024)
LONG_ACROSS = (2048, 4096, 8192, 16384)
PIVOTED = (16, 64, 256, 512, 1024)
REAL = ("f64", "f32")
EVERY = ("contiguous", "interleaved")

# These say what the figure is: times the floor; times the row that differs in `beside`;
# microseconds above the row with the fields in `beside`; bytes.
FLOOR, TIMES, ABOVE, WORKSPACE = "F", "times", "us above", "bytes"


@dataclass(frozen=True)
class Target:
    """Sets a bound: at most `limit` of `unit` for each row with these fields."""

    name: str
    limit: float
    fields: dict
    unit: str = FLOOR
    beside: dict = field(default_factory=dict)


def solve(name, limit, unit=FLOOR, beside=None, **fields):
    """Returns the fields of a solve: by the library, without pivoting, on dominant systems by
    default."""
    every = {"solver": "tridia cuda", "type": REAL, "layout": "contiguous", "boundary": "regular",
             "pivoting": "none", "case": "dominant", **fields}
    return Target(name, limit, every, unit, beside or {})


SHARED = ("dominant, shared coefficients", "dominant, shared coefficients, saved factors")

TARGETS = (
    solve("contiguous", 1.03, n=SHORT),
    solve("contiguous", 1.10, n=4096, type="f64"),
    solve("contiguous", 1.25, n=(8192, 16384), type="f64"),
    solve("across", 1.10, n=ACROSS, layout=("interleaved", "middle")),
    solve("across, long", 1.8, n=LONG_ACROSS, layout=("interleaved", "middle")),
    solve("pivoting, dominant", 1.20, n=PIVOTED, layout=EVERY, pivoting="partial"),
    solve("pivoting, random", 1.5, n=PIVOTED, layout=EVERY, pivoting="partial", case="random"),
    solve("pivoting, longer", 1.6, n=(2048, 4096, 8192), layout=EVERY, pivoting="partial",
          case=("dominant", "random")),
    solve("complex", 1.10, n=(16, 64, 256, 512, 1024), type="c128", layout=EVERY),
    solve("periodic", 1.1, n=(64, 512, 1024), layout=EVERY, boundary="periodic",
          unit=TIMES, beside={"boundary": "regular"}),
    solve("one system", 1.9, n=(2**24, 2**27), batch=1),
    solve("one system, pivoting", 2.3, n=(2**24, 2**27), batch=1, pivoting="partial",
          case=("dominant", "random")),
    solve("ragged", 1.2, case="dominant, ragged from 32"),
    solve("shared coefficients", 1.10, n=512, layout=EVERY, case=SHARED),
    solve("graph replay", 3, n=(32, 64, 128), case="dominant, graph replay", unit=ABOVE,
          beside={"solver": "empty kernel", "case": "graph replay"}),
    solve("host side of execute", 2, n=32, type="f64", case="dominant, host side of a launch",
          unit=ABOVE, beside={"solver": "empty kernel", "case": "host side of a launch"}),
    solve("workspace", 0, n=SHORT + (4096, 8192, 16384), unit=WORKSPACE),
    solve("workspace", 0, n=PIVOTED + (2048, 4096, 8192), pivoting="partial",
          case=("dominant", "random"), unit=WORKSPACE),
)

LAYOUTS = ("contiguous", "interleaved", "middle")  # along the last, the first and the middle axis


def beside_copy(name, limit, of, case, layout=LAYOUTS, **fields):
    """Returns a target of `bench derive`, against a copy of the same field in the same run."""
    return solve(name, limit, TIMES, {"solver": "copy", "case": f"device copy, {of}"}, type="f64",
                 case=case, layout=layout, **fields)


# These are the targets of `tridia bench derive`.
DERIVE_TARGETS = (
    beside_copy("constant coefficients", 1.08, "2^26", "near-Toeplitz",
                n=(64, 128, 256, 512, 1024, 2048, 4096)),
    *(beside_copy("C6", 1.10, f"{n}^3", "C6 first derivative", n=n, boundary=boundary)
      for n in (256, 512, 1024) for boundary in ("regular", "periodic")),
    beside_copy("other schemes", 1.12, "512^3",
                ("C8 first derivative", "C6 second derivative", "F10 filter"), n=512),
    beside_copy("gradient", 3.2, "512^3", "C6 gradient", layout=None, n=512),
    *(solve(f"against {name}", 1 / 5, TIMES, {"solver": solver}, type="f64",
            case="C6 first derivative", n=(256, 512), layout=LAYOUTS)
      for name, solver in (("cuSPARSE", "cuSPARSE gtsv2StridedBatch"),
                           ("NEATO", "tridia cuda, neato"))),
)


@dataclass
class Judgement:
    """Holds a row that a target asks for; `value` is None if it was not measured, or wrong."""

    target: Target
    label: str
    value: Optional[float]
    judged: bool = True

    @property
    def met(self):
        return self.value is not None and self.value <= self.target.limit * (1 + 1e-9)

    def line(self):
        value = "not measured" if self.value is None else f"{self.value:.3f}"
        limit = f"<= {self.target.limit:g} {self.target.unit}"
        return f"{self.label:<90} {limit:<14} {value:>12}  {'met' if self.met else 'MISSED'}"


def each(fields):
    """Returns the fields of every row that is meant."""
    values = [v if isinstance(v, tuple) else (v,) for v in fields.values()]
    return [dict(zip(fields, combination)) for combination in product(*values)]


def find(rows, fields):
    """Returns the fastest row with these fields whose result is right, or None."""
    return min((r for r in rows if r["ms"] is not None and not r.get("error")
                and all(r[k] == v for k, v in fields.items())), key=lambda r: r["ms"], default=None)


def value_of(rows, target, fields):
    """Returns what was measured of one row, in the target's unit."""
    row = find(rows, fields)
    if row is None:
        return None
    if target.unit == WORKSPACE:
        return row["workspace_bytes"]
    if target.unit == FLOOR:
        return row["ms"] / row["floor_ms"] if row["floor_ms"] else None
    # A separate case (an empty kernel, a copy) is not a system; others are like the row.
    whole = "case" in target.beside
    other = find(rows, target.beside if whole else {**fields, **target.beside})
    if other is None:
        return None
    return (row["ms"] - other["ms"]) * 1e3 if target.unit == ABOVE else row["ms"] / other["ms"]


def label_of(target, fields):
    parts = [target.name, fields["type"]]
    parts += [f"n = {fields['n']}"] if "n" in fields else []
    parts += [fields["layout"]] if fields["layout"] else []
    parts += [fields["boundary"]] if fields["boundary"] != "regular" else []
    parts += [fields["pivoting"]] if fields["pivoting"] != "none" else []
    parts += [fields["case"]] if fields["case"] != "dominant" else []
    return ", ".join(parts)


def judge(rows, targets=TARGETS):
    """Judges every row of every target; of workspaces only the largest, since all must be 0."""
    judgements = []
    for target in targets:
        found = [(label_of(target, fields), value_of(rows, target, fields))
                 for fields in each(target.fields)]
        if target.unit == WORKSPACE:
            values = [value for _, value in found]
            name = f"{target.name}, {target.fields['layout']}, {target.fields['pivoting']}"
            found = [(name, None if None in values else max(values))]
        judgements += [Judgement(target, label, value) for label, value in found]
    return judgements
