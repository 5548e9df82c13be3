# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Holds what the tests of the command line share: the executable, in a separate folder, and
oracles.

The executable is named by the environment variable TRIDIA_CLI. TRIDIA_CLI_DEVICE=cuda runs the
solves that are not about a device there. NumPy is imported from here: without it, or SciPy, a test
exits with 77, which counts as skipped.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    from numpy.lib import format as npy  # noqa: F401  (for the tests)
    from scipy.linalg import solve_banded
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TRIDIA = os.environ.get("TRIDIA_CLI", "tridia")
DEVICE = os.environ.get("TRIDIA_CLI_DEVICE", "cpu")
TYPES = ("<f4", "<f8", "<c8", "<c16")


def tolerance(dtype):
    return 1e-4 if np.finfo(dtype).bits == 32 else 1e-12


def random_array(rng, shape, dtype):
    values = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-1, 1, shape)
    return values.astype(dtype)


def dense(dl, d, du, periodic=False):
    """Returns the matrix of one system; off-diagonals as long as the diagonal, or one shorter."""
    n = len(d)
    a = np.diag(np.asarray(d).astype(complex))
    if len(dl) == n - 1:
        dl = np.concatenate([[0], dl])
    for i in range(n):
        if i > 0 or periodic:
            a[i, (i - 1) % n] += dl[i]
        if i + 1 < n or periodic:
            a[i, (i + 1) % n] += du[i]
    return a


def expected(dl, d, du, rhs, axis=-1, periodic=False, operate=lambda a: a):
    """Returns the solution of every system along `axis`, by dense LU in double precision."""
    if rhs.size == 0:
        return rhs

    def lines(a):
        if a.ndim == 1 and rhs.ndim > 1:
            a = a.reshape([-1 if k == axis % rhs.ndim else 1 for k in range(rhs.ndim)])
        a = np.moveaxis(a, axis, -1)
        batch = np.moveaxis(rhs, axis, -1).shape[:-1]
        return np.broadcast_to(a, batch + a.shape[-1:]).reshape(-1, a.shape[-1])

    columns = [lines(a) for a in (dl, d, du, rhs)]
    x = [np.linalg.solve(operate(dense(l, m, u, periodic)), b) for l, m, u, b in zip(*columns)]
    batch = np.moveaxis(rhs, axis, -1).shape
    x = np.array(x, dtype=complex).reshape(batch)
    x = np.moveaxis(x, -1, axis)
    return x if rhs.dtype.kind == "c" else x.real


def expected_by_bands(dl, d, du, rhs):
    """Returns the solution of one system, in double precision, by LAPACK's banded solver."""
    return solve_banded((1, 1), np.array([np.r_[0, du[:-1]], d, np.r_[dl[1:], 0]]), rhs)


class Case(unittest.TestCase):
    """Runs the executable in a separate folder for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.rng = np.random.default_rng(7)

    def path(self, name):
        return self.folder / f"{name}.npy"

    def names(self):
        return sorted(p.name for p in self.folder.iterdir())

    def save(self, **arrays):
        for name, array in arrays.items():
            np.save(self.path(name), array)

    def arguments(self, *options, **files):
        command = [TRIDIA, "solve"]
        for name in ("dl", "d", "du", "rhs", "out"):
            command += [f"--{name}", str(files.get(name, self.path(name)))]
        if "--device" not in options:
            command += ["--device", DEVICE]
        return command + [str(o) for o in options]

    def run_tridia(self, *options, **files):
        return subprocess.run(
            self.arguments(*options, **files), capture_output=True, text=True, check=False
        )

    def solve(self, *options, code=0, **files):
        """Runs with --json and returns the report."""
        run = self.run_tridia(*options, "--json", **files)
        self.assertEqual(run.returncode, code, run.stderr)
        return json.loads(run.stdout)

    def systems(self, shape, dtype="<f8", axis=-1, order="C"):
        """Makes diagonally dominant systems, saved as dl, d, du, rhs."""
        dl, d, du, rhs = (random_array(self.rng, shape, dtype) for _ in range(4))
        d += 4 * np.sign(d.real)
        arrays = [np.asarray(a, order=order) for a in (dl, d, du, rhs)]
        self.save(**dict(zip(("dl", "d", "du", "rhs"), arrays)))
        return arrays

    def check_out(self, x, name="out"):
        out = np.load(self.path(name))
        self.assertEqual(out.shape, x.shape)
        if x.size:
            error = np.abs(out - x).max() / max(np.abs(x).max(), 1e-30)
            self.assertLess(error, tolerance(out.dtype))
        return out


class BadInput(Case):
    """Expects exit code 2, a sentence with the argument and both values, and no file left
    behind."""

    def setUp(self):
        super().setUp()
        self.arrays = self.systems((4, 8))
        self.before = self.names()

    def refuse(self, *words, options=(), code=2, **files):
        run = self.run_tridia(*options, "--json", **files)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertTrue(run.stderr.startswith("tridia: "), run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        error = json.loads(run.stdout)["error"]
        self.assertEqual(error["code"], code)
        self.assertEqual(run.stderr, f"tridia: {error['message']}\n")
        for word in words:
            self.assertIn(word, run.stderr)
        self.assertEqual(self.names(), self.before)
        return error

    def overwrite(self, name, data):
        self.path(name).write_bytes(data)
