#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs `tridia` on files that NumPy writes, against dense solves of SciPy.

The executable is named by the environment variable TRIDIA_CLI. TRIDIA_CLI_DEVICE=cuda runs the
solves that are not about a device there.
"""

import io
import itertools
import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import numpy as np
    from numpy.lib import format as npy
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
    """The matrix of one system; off-diagonals as long as the diagonal, or one shorter."""
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
    """A solution of every system along `axis`, by dense LU in double precision."""
    if rhs.size == 0:
        return rhs

    def lines(a):
        if a.ndim == 1 and rhs.ndim > 1:
            a = a.reshape([-1 if k == axis % rhs.ndim else 1 for k in range(rhs.ndim)])
        a = np.moveaxis(a, axis, -1)
        batch = np.moveaxis(rhs, axis, -1).shape[:-1]
        return np.broadcast_to(a, batch + a.shape[-1:]).reshape(-1, a.shape[-1])

    columns = [lines(a) for a in (dl, d, du, rhs)]
    x = [
        np.linalg.solve(operate(dense(l, m, u, periodic)), b)
        for l, m, u, b in zip(*columns)
    ]
    batch = np.moveaxis(rhs, axis, -1).shape
    x = np.array(x, dtype=complex).reshape(batch)
    x = np.moveaxis(x, -1, axis)
    return x if rhs.dtype.kind == "c" else x.real


class Case(unittest.TestCase):
    """A folder of its own, and the executable in it."""

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
        """Diagonally dominant systems, saved as dl, d, du, rhs."""
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


class Solutions(Case):
    def test_types_orders_and_axes(self):
        for dtype, order, axis in itertools.product(TYPES, "CF", range(-3, 3)):
            with self.subTest(dtype=dtype, order=order, axis=axis):
                dl, d, du, rhs = self.systems((5, 6, 7), dtype, order=order)
                report = self.solve("--axis", axis)
                out = self.check_out(expected(dl, d, du, rhs, axis))
                self.assertEqual(out.dtype, np.dtype(dtype))
                self.assertEqual(out.flags.f_contiguous, order == "F")
                self.assertEqual(report["rows"], rhs.shape[axis])
                self.assertEqual(report["systems"], rhs.size // rhs.shape[axis])
                self.assertLess(report["residual"], tolerance(dtype))

    def test_agrees_with_scipy_on_long_systems(self):
        dl, d, du, rhs = self.systems((9, 1000))
        self.solve()
        out = np.load(self.path("out"))
        for k in range(9):
            bands = np.array([np.r_[0, du[k, :-1]], d[k], np.r_[dl[k, 1:], 0]])
            x = solve_banded((1, 1), bands, rhs[k])
            np.testing.assert_allclose(out[k], x, rtol=1e-10, atol=1e-12)

    def test_each_array_in_its_own_order(self):
        dl, d, du, rhs = self.systems((5, 6, 7))
        self.save(dl=np.asfortranarray(dl), du=np.asfortranarray(du))
        for axis in range(3):
            self.solve("--axis", axis)
            self.check_out(expected(dl, d, du, rhs, axis))

    def test_every_npy_version(self):
        arrays = self.systems((4, 8))
        x = expected(*arrays)
        for version in ((1, 0), (2, 0), (3, 0)):
            for name, array in zip(("dl", "d", "du", "rhs"), arrays):
                with open(self.path(name), "wb") as file:
                    npy.write_array(file, array, version=version)
            self.solve()
            self.check_out(x)

    def test_one_matrix_for_all(self):
        for shape, axis in (((5, 6, 7), 0), ((5, 6, 7), 1), ((5, 6, 7), 2), ((30, 8), 1)):
            for dtype in TYPES:
                with self.subTest(shape=shape, axis=axis, dtype=dtype):
                    *_, rhs = self.systems(shape, dtype)
                    dl, d, du = (random_array(self.rng, shape[axis], dtype) for _ in range(3))
                    d += 4
                    self.save(dl=dl, d=d, du=du)
                    report = self.solve("--axis", axis)
                    self.check_out(expected(dl, d, du, rhs, axis))
                    self.assertEqual(report["coefficients"], "shared")
                    self.assertEqual(report["bytes_moved"], 2 * rhs.nbytes)

    def test_broadcast_along_batch_axes(self):
        dl, d, du, rhs = self.systems((5, 6, 7))
        dl, d, du = dl[:1], d[:, :1], du[0, 0]
        self.save(dl=dl, d=d, du=du)
        report = self.solve()
        self.check_out(expected(dl, d, du, rhs))
        self.assertEqual(report["coefficients"], "per_system")

    def test_short_off_diagonals(self):
        dl, d, du, rhs = self.systems((5, 6, 7))
        for axis in range(3):
            keep = [slice(None)] * 3
            keep[axis] = slice(1, None)
            short_dl = dl[tuple(keep)]
            keep[axis] = slice(None, -1)
            short_du = du[tuple(keep)]
            x = expected(dl, d, du, rhs, axis)
            for lower, upper in ((short_dl, short_du), (dl, short_du), (short_dl, du)):
                self.save(dl=lower, du=upper)
                self.solve("--axis", axis)
                self.check_out(x)
                self.solve("--axis", axis, "--memory", 1)
                self.check_out(x)

    def test_short_shared_off_diagonals(self):
        *_, rhs = self.systems((6, 5))
        dl, du = self.rng.uniform(-1, 1, (2, 4))
        d = self.rng.uniform(3, 4, 5)
        self.save(dl=dl, d=d, du=du)
        self.solve()
        self.check_out(expected(dl, d, du, rhs))

    def test_ends_are_ignored(self):
        dl, d, du, rhs = self.systems((5, 7))
        x = expected(dl, d, du, rhs)
        dl[:, 0] = du[:, -1] = np.nan
        self.save(dl=dl, du=du)
        self.assertEqual(self.solve()["failed_systems"], 0)
        self.check_out(x)

    def test_periodic(self):
        for dtype, n in itertools.product(TYPES, (1, 2, 3, 4, 9)):
            with self.subTest(dtype=dtype, n=n):
                dl, d, du, rhs = self.systems((5, n), dtype)
                report = self.solve("--periodic")
                self.check_out(expected(dl, d, du, rhs, periodic=True))
                self.assertEqual(report["boundary"], "periodic")

    def test_transposes(self):
        dl, d, du, rhs = self.systems((5, 7), "<c16")
        for option, operate in (
            ("--transpose", lambda a: a.T),
            ("--conjugate-transpose", lambda a: a.conj().T),
        ):
            for periodic in (False, True):
                options = [option] + ["--periodic"] * periodic
                report = self.solve(*options)
                self.check_out(expected(dl, d, du, rhs, periodic=periodic, operate=operate))
                self.assertEqual(report["operation"], option[2:].replace("-", "_"))
                self.assertLess(report["residual"], 1e-14)

    def test_pivoting(self):
        dl, d, du, rhs = self.systems((5, 7))
        x = expected(dl, d, du, rhs)
        report = self.solve("--pivoting", "none")
        self.check_out(x)
        self.assertEqual((report["pivoting"], report["algorithm"]), ("none", "thomas"))
        self.assertEqual(self.solve("--algorithm", "lu")["algorithm"], "lu")
        self.check_out(x)
        # A zero on the diagonal needs an interchange.
        d[:, 0] = 0
        self.save(d=d)
        self.solve("--pivoting", "partial")
        self.check_out(expected(dl, d, du, rhs))

    def test_devices_and_threads(self):
        arrays = self.systems((5, 7))
        x = expected(*arrays)
        for options in (
            ("--device", "reference"),
            ("--device", "cpu"),
            ("--device", "cpu", "--threads", 1),
            ("--device", "cpu", "--threads", 2),
        ):
            report = self.solve(*options)
            self.assertEqual(report["device"], options[1])
            self.check_out(x)

    def test_edge_sizes(self):
        shapes = ((1,), (2,), (3,), (9,), (4, 1), (4, 2))
        for shape in shapes + ((0,), (3, 0), (0, 3), (0, 0), (2, 0, 3)):
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    dl, d, du, rhs = self.systems(shape, order=order)
                    report = self.solve()
                    self.check_out(expected(dl, d, du, rhs))
                    self.assertEqual(report["failed_systems"], 0)
                    self.assertEqual(report["rows"], shape[-1])
        # A header alone may stand for very many systems of no rows.
        for name in ("dl", "d", "du", "rhs"):
            with open(self.path(name), "wb") as file:
                npy.write_array_header_1_0(
                    file, {"descr": "<f8", "fortran_order": False, "shape": (10**15, 0)}
                )
        self.assertEqual(self.solve()["systems"], 10**15)

    def test_out_replaces_rhs(self):
        dl, d, du, rhs = self.systems((5, 7))
        self.solve(out=self.path("rhs"))
        self.check_out(expected(dl, d, du, rhs), "rhs")
        self.assertEqual(self.names(), ["d.npy", "dl.npy", "du.npy", "rhs.npy"])

    def test_out_in_the_current_folder(self):
        arrays = self.systems((5, 7))
        run = subprocess.run(
            self.arguments(out="x.npy"), cwd=self.folder, capture_output=True, check=False
        )
        self.assertEqual(run.returncode, 0)
        self.check_out(expected(*arrays), "x")


class Slabs(Case):
    def check_bit_for_bit(self, *options, memory):
        one = self.solve(*options)
        self.assertEqual(one["slabs"], 1)
        whole = self.path("out").read_bytes()
        many = self.solve(*options, "--memory", memory)
        self.assertGreater(many["slabs"], 1)
        self.assertEqual(self.path("out").read_bytes(), whole)
        for key in ("residual", "systems", "rows", "bytes_moved", "algorithm"):
            self.assertEqual(many[key], one[key])
        return many["slabs"]

    def test_every_layout(self):
        for dtype, order, axis in itertools.product(TYPES, "CF", range(3)):
            with self.subTest(dtype=dtype, order=order, axis=axis):
                self.systems((9, 10, 11), dtype, order=order)
                self.check_bit_for_bit("--axis", axis, memory="1K")
                self.check_bit_for_bit("--axis", axis, memory="10K")
                self.check_bit_for_bit("--axis", axis, "--pivoting", "none", memory="4K")

    def test_one_system_a_slab(self):
        self.systems((3, 4, 5))
        self.assertEqual(self.check_bit_for_bit(memory=1), 12)

    def test_periodic_and_shared(self):
        self.systems((9, 40))
        self.check_bit_for_bit("--periodic", memory="2K")
        d = self.rng.uniform(4, 5, 40)
        self.save(dl=d / 5, d=d, du=d / 7)
        self.check_bit_for_bit(memory="1K")
        self.check_bit_for_bit("--transpose", memory="1K")

    def test_mixed_orders_and_broadcast(self):
        dl, d, du, rhs = self.systems((9, 10, 11))
        self.save(dl=np.asfortranarray(dl), d=d[:, :1], du=du[0, 0])
        self.check_bit_for_bit(memory="3K")
        self.check_out(expected(dl, d[:, :1], du[0, 0], rhs))

    def test_first_failed_is_the_first_in_c_order(self):
        for order in "CF":
            dl, d, du, _ = self.systems((3, 4, 5), order=order)
            for index in ((0, 3), (1, 0), (2, 0)):
                dl[index] = d[index] = du[index] = 0
            self.save(dl=dl, d=d, du=du)
            for memory in (1, "1G"):
                report = self.solve("--memory", memory, code=3)
                self.assertEqual(report["failed_systems"], 3)
                self.assertEqual(report["first_failed"]["system"], 3)
                self.assertEqual(report["first_failed"]["index"], [0, 3])


class Failures(Case):
    """Systems without a solution: exit code 3, and the others' solutions are there."""

    def test_zero_pivot(self):
        dl, d, du, rhs = self.systems((6, 7))
        x = expected(dl, d, du, rhs)
        d[4] = dl[4] = du[4] = 0
        self.save(dl=dl, d=d, du=du)
        run = self.run_tridia("--json")
        self.assertEqual(run.returncode, 3)
        report = json.loads(run.stdout)
        self.assertEqual(report["failed_systems"], 1)
        self.assertEqual(
            report["first_failed"],
            {
                "system": 4,
                "index": [4],
                "status": 1,
                "meaning": "the pivot of row 1 is exactly zero",
            },
        )
        self.assertLess(report["residual"], 1e-14)
        self.assertIn("1 of 6 systems has no solution", run.stderr)
        out = np.load(self.path("out"))
        good = [k for k in range(6) if k != 4]
        np.testing.assert_allclose(out[good], x[good], rtol=1e-10)

    def test_not_finite(self):
        _, d, _, rhs = self.systems((6, 7))
        d[2, 3] = np.nan
        rhs[5, 0] = np.inf
        self.save(d=d, rhs=rhs)
        report = self.solve(code=3)
        self.assertEqual(report["failed_systems"], 2)
        self.assertEqual(report["first_failed"]["system"], 2)
        self.assertLess(report["first_failed"]["status"], 0)
        self.assertIn("not finite", report["first_failed"]["meaning"])

    def test_all_fail(self):
        zeros = np.zeros((6, 7))
        self.save(dl=zeros, d=zeros, du=zeros, rhs=zeros)
        self.assertEqual(self.solve(code=3)["failed_systems"], 6)


class Reports(Case):
    def test_json_fields(self):
        *_, rhs = self.systems((5, 7))
        report = self.solve()
        self.assertEqual(report["shape"], [5, 7])
        self.assertEqual(report["axis"], 1)
        self.assertEqual(report["type"], "f64")
        self.assertEqual(report["right_hand_sides"], 1)
        self.assertEqual(report["slabs"], 1)
        self.assertEqual(report["device"], DEVICE)
        self.assertEqual(report["pivoting"], "partial")
        self.assertEqual(report["operation"], "none")
        self.assertEqual(report["boundary"], "regular")
        self.assertEqual(report["bytes_moved"], 5 * rhs.nbytes)
        self.assertEqual(report["failed_systems"], 0)
        self.assertIsNone(report["first_failed"])
        self.assertTrue(report["reason"])
        self.assertGreaterEqual(report["total_seconds"], report["solve_seconds"])
        self.assertRegex(report["version"], r"^\d+\.\d+\.\d+$")

    def test_text_and_quiet(self):
        self.systems((5, 7))
        run = self.run_tridia()
        self.assertEqual(run.returncode, 0)
        for word in ("systems", "5 of 7 rows", "algorithm", "lu", "time", "residual", "written"):
            self.assertIn(word, run.stdout)
        self.assertEqual(run.stderr, "")
        run = self.run_tridia("--quiet")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def on_terminal(self, *options):
        """What appears on a terminal that is stderr alone."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            self.arguments(*options), stdout=subprocess.DEVNULL, stderr=theirs
        ) as process:
            os.close(theirs)
            text = b""
            while select.select([ours], [], [], 60)[0]:
                try:
                    text += os.read(ours, 65536)
                except OSError:
                    break
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        return text

    def test_progress_on_a_terminal_only(self):
        self.systems((50, 7))
        self.assertIn(b"slabs", self.on_terminal("--memory", 1))
        self.assertEqual(self.on_terminal("--memory", 1, "--quiet"), b"")
        self.assertEqual(self.on_terminal("--memory", 1, "--json"), b"")
        self.assertEqual(self.run_tridia("--memory", 1).stderr, "")

    def test_info(self):
        text = subprocess.run([TRIDIA, "info"], capture_output=True, text=True, check=True).stdout
        report = json.loads(subprocess.check_output([TRIDIA, "info", "--json"]))
        self.assertIn("cpu", report["backends"])
        self.assertGreaterEqual(report["threads"], 1)
        self.assertIn(report["simd"], text)
        self.assertIsInstance(report["cuda_devices"], list)

    def test_help_and_version(self):
        for options in (["--help"], ["solve", "--help"], ["info", "--help"], ["--version"]):
            run = subprocess.run([TRIDIA, *options], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0)
            self.assertIn("tridia" if options[0] == "--version" else "--help", run.stdout)


class BadInput(Case):
    """Exit code 2, a sentence with the argument and both values, and no file left behind."""

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

    def header(self, descr="<f8", order=False, shape=(4, 8)):
        file = io.BytesIO()
        npy.write_array_header_1_0(file, {"descr": descr, "fortran_order": order, "shape": shape})
        return file.getvalue()

    def test_shapes(self):
        for name, shape, words in (
            ("d", (4, 7), ["(4, 7)", "(4, 8)", "7 entries", "needs 8"]),
            ("dl", (4, 6), ["(4, 6)", "(4, 8)", "8 or 7"]),
            ("du", (3, 8), ["(3, 8)", "(4, 8)", "needs 4"]),
            ("d", (7,), ["(7,)", "(4, 8)"]),
            ("d", (1, 4, 8), ["(1, 4, 8)", "(4, 8)", "2 axes"]),
            ("d", (), ["()", "(4, 8)"]),
        ):
            with self.subTest(name=name, shape=shape):
                self.save(**{name: np.ones(shape)})
                error = self.refuse(f"--{name}", *words)
                self.assertEqual(error["argument"], f"--{name}")
                self.save(**dict(zip(("dl", "d", "du", "rhs"), self.arrays)))
        self.save(rhs=np.float64(1))
        self.refuse("--rhs", "()")

    def test_periodic_needs_corners(self):
        self.save(dl=np.ones((4, 7)))
        self.refuse("--dl", "(4, 7)", "(4, 8)", "--periodic", options=["--periodic"])

    def test_types_differ(self):
        self.save(d=self.arrays[1].astype("<f4"))
        self.refuse("--d", "<f4", "--rhs", "<f8")

    def test_axis(self):
        for axis in (2, -3, 100):
            self.refuse("--axis", str(axis), "(4, 8)", options=["--axis", axis])

    def test_types_that_are_not_read(self):
        for descr, words in (
            (">f8", ["big-endian", ">f8"]),
            (">c16", ["big-endian", ">c16"]),
            ("|O", ["objects"]),
            ("<i8", ["<i8", "<f8"]),
            ("<f2", ["<f2"]),
            ("|b1", ["|b1"]),
            ("<U4", ["<U4"]),
            ([("a", "<f8"), ("b", "<f8")], ["structured"]),
        ):
            with self.subTest(descr=descr):
                self.overwrite("rhs", self.header(descr) + bytes(4 * 8 * 16))
                self.refuse("--rhs", "rhs.npy", *words)
        np.save(self.path("rhs"), np.array([1, None], dtype=object), allow_pickle=True)
        self.refuse("--rhs", "objects")

    def test_sizes(self):
        good = self.path("d").read_bytes()
        for data, words in (
            (b"", ["empty"]),
            (good[:5], ["truncated"]),
            (good[:60], ["truncated"]),
            (good[:-1], ["truncated", "256", "255"]),
            (good + b"\0", ["after its data", "256", "257"]),
            (b"PK\3\4" + good, ["not an NPY file"]),
            (b"x", ["not an NPY file"]),
            (good[:6] + b"\7" + good[7:], ["version 7.0"]),
        ):
            with self.subTest(words=words):
                self.overwrite("d", data)
                self.refuse("--d", "d.npy", *words)

    def test_headers_that_lie(self):
        for shape in ((2**62, 8), (2**32, 2**32), (-4, 8), (2**64, 8), (2**32, 0, 2**32)):
            with self.subTest(shape=shape):
                self.overwrite("d", self.header(shape=shape) + bytes(256))
                self.refuse("--d", "broken header")
        self.overwrite("d", self.header(shape=(10**9, 8)) + bytes(256))
        self.refuse("--d", "truncated", "64000000000", "256")
        self.overwrite("d", b"\x93NUMPY\1\0\4\0{}  ")
        self.refuse("--d", "broken header")

    def test_misaligned_data(self):
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 8)}"
        self.overwrite("d", b"\x93NUMPY\1\0" + bytes([len(text), 0]) + text + bytes(256))
        self.refuse("--d", "67", "multiple of 8")

    def test_files_that_cannot_be_read(self):
        self.refuse("--du", "missing.npy", "No such file", du=self.path("missing"))
        self.refuse("--du", "directory", du=self.folder)
        self.refuse("--du", "regular", du="/dev/null")
        os.mkfifo(self.path("fifo"))
        self.before = self.names()
        self.refuse("--du", "regular", du=self.path("fifo"))

    def test_files_that_cannot_be_written(self):
        self.refuse("--out", "No such file", out=self.folder / "missing" / "x.npy")
        self.refuse("--out", "Not a directory", out=self.path("d") / "x.npy")
        self.refuse("--out", "directory", out=self.folder)
        self.refuse("--out", "/dev/null", out="/dev/null")
        self.refuse("--out", "too long", out=self.folder / ("x" * 300))
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_directory_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        self.before = self.names()
        self.refuse("--out", "Permission denied", out=locked / "x.npy")

    def test_options(self):
        for options, words in (
            (["--pivoting", "full"], ["--pivoting", "full", "partial"]),
            (["--algorithm", "magic"], ["--algorithm", "magic", "thomas"]),
            (["--algorithm", "thomas"], ["--algorithm", "thomas", "partial"]),
            (["--device", "tpu"], ["--device", "tpu", "cuda"]),
            (["--memory", "much"], ["--memory", "much"]),
            (["--memory", "0"], ["--memory", "0"]),
            (["--threads", "-1"], ["--threads", "-1"]),
            (["--axis", "x"], ["--axis", "x"]),
            (["--transpose", "--conjugate-transpose"], ["transpose"]),
            (["--unknown"], ["--unknown"]),
            (["extra"], ["extra"]),
        ):
            with self.subTest(options=options):
                self.refuse(*words, options=options)

    def test_missing_arguments(self):
        for command in ([], ["solve"], ["solve", "--dl", "x"], ["nonsense"]):
            run = subprocess.run([TRIDIA, *command], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertTrue(run.stderr.startswith("tridia: "))
            self.assertEqual(run.stdout, "")

    def test_cuda_where_there_is_none(self):
        info = json.loads(subprocess.check_output([TRIDIA, "info", "--json"]))
        if info["cuda_devices"]:
            self.skipTest("there is a GPU")
        self.refuse("--device", "cuda", options=["--device", "cuda"])

    def test_existing_output_survives(self):
        self.path("out").write_bytes(b"precious")
        self.before = self.names()
        self.refuse("--axis", options=["--axis", 9])
        self.assertEqual(self.path("out").read_bytes(), b"precious")

    def test_disk_is_full(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        run = subprocess.run(
            self.arguments(), preexec_fn=limit, capture_output=True, text=True, check=False
        )
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^tridia: --out: .*too large")
        self.assertEqual(self.names(), self.before)


class Signals(Case):
    def interrupt(self, number):
        self.systems((200000, 3))
        before = self.names()
        with subprocess.Popen(
            self.arguments("--memory", 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            deadline = time.monotonic() + 60
            while self.names() == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.001)
            self.assertTrue(any(re.match(r"\.tridia-.*\.tmp$", n) for n in self.names()))
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
        self.assertEqual(self.names(), before)

    def test_interrupt_and_termination_leave_nothing(self):
        self.interrupt(signal.SIGINT)
        self.interrupt(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
