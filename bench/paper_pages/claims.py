# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What the parts of the page have in common: verdicts, and how figures are written."""

from report import machine_line, select

KINDS = ("f32", "f64")
HELD, PART, NO, UNKNOWN = "held", "in part", "no longer", "not measured"


def verdict(found):
    """Returns the word for a claim that holds in all, some or none of the cases."""
    return HELD if all(found) else PART if any(found) else NO


def both(values, form):
    """Formats a value for f32 and one for f64."""
    return " and ".join(f"{form.format(v)} ({kind})" for kind, v in zip(KINDS, values))


def spread(values, form="{:.2f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def claims(lines):
    """Makes the table of claims, whose columns are text."""
    body = [["claim", "verdict", "measured"], ["---"] * 3,
            *([claim, f"**{word}**", figures] for claim, word, figures in lines)]
    return ["| " + " | ".join(line) + " |" for line in body]


def measured(results, source):
    return (f"Measured on an {machine_line(results)}, {results['date'][:10]}, tridia "
            f"{results['versions']['tridia']} ([results]({source})).")


def time_of(rows, solver, **fields):
    return select(rows, solver=solver, **fields)[0]["ms"]


def cpu_name(solver):
    """Returns a peer's name for readers; LAPACKE is the interface of the LAPACK that was linked."""
    return solver.replace("LAPACKE gtsv", "LAPACK's gtsv")
