#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Compares `tridia solve` on files that NumPy writes with dense and banded solves."""

import itertools
import subprocess
import unittest

from support import (DEVICE, TYPES, Case, expected, expected_by_bands, np, npy, random_array,
                     tolerance)


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
            x = expected_by_bands(dl[k], d[k], du[k], rhs[k])
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
        self.assertEqual(report["pivoting"], "none")
        self.assertEqual(report["algorithm"], {"cpu": "thomas", "cuda": "partition"}[DEVICE])
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


if __name__ == "__main__":
    unittest.main()
