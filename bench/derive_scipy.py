#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Times SciPy's derivatives for `tridia bench derive` on a CPU, which runs this script.

    derive_scipy.py versions                          a line of SciPy's and of NumPy's
    derive_scipy.py SOLVER POINTS AXIS REPETITIONS    the largest error, then milliseconds, line by line

The derivative is C6 closed by 3-4-6-4-3 along an axis of a cube: NumPy computes the right-hand
sides, then one of two solvers is used for all lines at once, `scipy.linalg.solve_banded` or,
factored once, `scipy.linalg.lapack.dgttrs`. (`solveh_banded` takes Hermitian matrices, which the
closure is not.) Both use one core, and the results stay in the order in which LAPACK leaves them.
Needs NumPy and SciPy (Debian's python3-scipy; PyPI).
"""

import argparse
import signal
import sys
import time

import numpy as np
import scipy
from scipy.linalg import lapack, solve_banded

# These are the first rows, h = 1: entries before, at and after the diagonal, and the right-hand
# side. The last ones are their mirror images, with the sign of the right-hand side changed.
CLOSURE = (((0, 1, 2), {0: -5 / 2, 1: 2, 2: 1 / 2}),
           ((1 / 4, 1, 1 / 4), {-1: -3 / 4, 1: 3 / 4}))
INTERIOR = ((1 / 3, 1, 1 / 3), {-2: -1 / 36, -1: -7 / 9, 1: 7 / 9, 2: 1 / 36})
ENDS = len(CLOSURE)


def diagonals(n):
    """Returns dl, d, du, of n entries each; dl[0] and du[n-1] are not in the matrix."""
    rows = [list(INTERIOR[0]) for _ in range(n)]
    for k, (entries, _) in enumerate(CLOSURE):
        rows[k], rows[-1 - k] = list(entries), list(entries[::-1])
    return np.array(rows).T


def right_sides(f):
    """Returns the right-hand sides of lines along the first axis, in the memory order of f."""
    sides = np.empty_like(f)  # keeps the order of the axes in memory
    n = len(f)
    inner = sides[ENDS:n - ENDS]
    np.subtract(f[ENDS + 1:n - ENDS + 1], f[ENDS - 1:n - ENDS - 1], out=inner)
    inner *= INTERIOR[1][1]
    inner += INTERIOR[1][2] * (f[ENDS + 2:n - ENDS + 2] - f[ENDS - 2:n - ENDS - 2])
    for k, (_, weights) in enumerate(CLOSURE):
        sides[k] = sum(w * f[k + at] for at, w in weights.items())
        sides[-1 - k] = sum(-w * f[-1 - k - at] for at, w in weights.items())
    return sides


def by_solve_banded(n):
    dl, d, du = diagonals(n)
    bands = np.stack([np.roll(du, 1), d, np.roll(dl, -1)])  # a column of the matrix together

    def solve(sides):
        return solve_banded((1, 1), bands, sides, overwrite_b=True, check_finite=False)

    return solve


def by_dgttrs(n):
    dl, d, du = diagonals(n)
    *factors, info = lapack.dgttrf(dl[1:], d, du[:-1])
    if info != 0:
        raise RuntimeError(f"dgttrf returned {info}")

    def solve(sides):
        x, status = lapack.dgttrs(*factors, sides, overwrite_b=True)
        if status != 0:
            raise RuntimeError(f"dgttrs returned {status}")
        return x

    return solve


SOLVERS = {"solve_banded": by_solve_banded, "dgttrs": by_dgttrs}


def derive(f, axis, solve):
    lines = np.moveaxis(f, axis, 0)
    sides = right_sides(lines)
    return np.moveaxis(solve(sides.reshape(len(lines), -1)).reshape(lines.shape), 0, axis)


def exact_line(g):
    """Returns the scheme's result for one line, by a dense matrix."""
    dl, d, du = diagonals(len(g))
    matrix = np.diag(d) + np.diag(dl[1:], -1) + np.diag(du[:-1], 1)
    return np.linalg.solve(matrix, right_sides(g))


def measure(n, axis, solve, repetitions):
    """Returns the largest error over the largest result of a line, and each repetition's
    milliseconds."""
    random = np.random.default_rng(5)
    g = random.uniform(0.5, 1, n) * random.choice((-1, 1), n)
    h = exact_line(g)
    f = np.einsum("i,j,k->ijk", g, g, g)
    expected = np.einsum("i,j,k->ijk", *(h if a == axis else g for a in range(3)))
    result = derive(f, axis, solve)  # warms up
    yield np.abs(result - expected).max() / np.abs(h).max()
    del result, expected
    for _ in range(repetitions):
        begin = time.perf_counter()
        derive(f, axis, solve)
        yield 1e3 * (time.perf_counter() - begin)


def main():
    if sys.argv[1:] == ["versions"]:
        print(f"scipy {scipy.__version__}\nnumpy {np.__version__}")
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("solver", choices=SOLVERS)
    parser.add_argument("points", type=int)
    parser.add_argument("axis", type=int)
    parser.add_argument("repetitions", type=int)
    a = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who reads has had enough
    for number in measure(a.points, a.axis, SOLVERS[a.solver](a.points), a.repetitions):
        print(repr(float(number)), flush=True)


if __name__ == "__main__":
    main()
