#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Matrices given as numbers, batches of systems of different lengths, and the papers' algorithms."""

import itertools
import json
import subprocess
import unittest

from support import DEVICE, TRIDIA, TYPES, BadInput, Case, expected, np, random_array, tolerance

NAMED = ("cr", "crnbc", "pcr", "cr_pcr", "pcr_thomas", "packed_cr", "hierarchical")
NAMED_ON = "cuda" if DEVICE == "cuda" else "reference"


def rows_of(n, interior, head=(), tail=()):
    rows = [interior] * n
    rows[:len(head)] = head
    rows[n - len(tail):] = tail
    return np.array(rows).T


class Constant(Case):
    def constant(self, *options, device=DEVICE):
        run = subprocess.run([TRIDIA, "solve", "--rhs", self.path("rhs"), "--out", self.path("out"),
                              "--device", device, *(str(o) for o in options), "--json"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_types_and_axes(self):
        for dtype, axis in itertools.product(TYPES, range(-2, 1)):
            with self.subTest(dtype=dtype, axis=axis):
                rhs = random_array(self.rng, (5, 6, 7), dtype)
                self.save(rhs=rhs)
                report = self.constant("--constant", "-1,4,-0.5", "--axis", axis)
                dl, d, du = rows_of(rhs.shape[axis], (-1, 4, -0.5))
                self.check_out(expected(dl, d, du, rhs, axis))
                self.assertEqual(report["coefficients"], "constant")
                self.assertEqual(report["bytes_moved"], 2 * rhs.nbytes)
                self.assertLess(report["residual"], tolerance(dtype))

    def test_rows_of_their_own_slabs_and_transposes(self):
        rhs = random_array(self.rng, (5, 9), "<c16")
        self.save(rhs=rhs)
        head, tail = ((9, 3 + 1j, 2), (1, 5, 1)), ((0.5, 4, -1j),)
        dl, d, du = rows_of(9, (1, 4, 2j), head, tail)
        for option, operate in (((), lambda a: a), (("--transpose",), lambda a: a.T),
                                (("--conjugate-transpose",), lambda a: a.conj().T)):
            for memory in ((), ("--memory", 1)):
                report = self.constant(
                    "--constant", "1,4,2j", "--constant-head", "9,3+1j,2", "--constant-head", "1,5,1",
                    "--constant-tail", "0.5,4,-1j", *option, *memory)
                self.check_out(expected(dl, d, du, rhs, operate=operate))
                self.assertLess(report["residual"], 1e-14)
                self.assertEqual(report["slabs"], 5 if memory else 1)

    def test_periodic(self):
        rhs = random_array(self.rng, (3, 8), "<f8")
        self.save(rhs=rhs)
        self.constant("--constant", "1,4,-1", "--periodic")
        self.check_out(expected(*rows_of(8, (1, 4, -1)), rhs, periodic=True))

    def test_neato(self):
        rhs = random_array(self.rng, (3, 100), "<f8")
        self.save(rhs=rhs)
        report = self.constant("--constant", "0.25,1,0.25", "--constant-head", "0,1,2", "--constant-tail",
                               "2,1,0", "--pivoting", "none", "--algorithm", "neato", device=NAMED_ON)
        self.check_out(expected(*rows_of(100, (0.25, 1, 0.25), ((0, 1, 2),), ((2, 1, 0),)), rhs))
        self.assertEqual(report["algorithm"], "neato")


class Ragged(Case):
    lengths = (3, 0, 17, 1, 40, 8)

    def ragged(self, dtype="<f8", short=False):
        """Makes a batch of systems, saved; returns the solutions, one after another."""
        parts, x = [[], [], [], []], []
        for n in self.lengths:
            dl, d, du, rhs = (random_array(self.rng, n, dtype) for _ in range(4))
            d += 4 * np.sign(d.real)
            x.append(expected(dl, d, du, rhs))
            for part, a in zip(parts, (dl[1:] if short else dl, d, du[:-1] if short else du, rhs)):
                part.append(a)
        self.save(**{name: np.concatenate(p) for name, p in zip(("dl", "d", "du", "rhs"), parts)},
                  offsets=np.concatenate([[0], np.cumsum(self.lengths)]))
        return np.concatenate(x)

    def test_types_and_short_off_diagonals(self):
        for dtype, short in itertools.product(TYPES, (False, True)):
            with self.subTest(dtype=dtype, short=short):
                x = self.ragged(dtype, short)
                report = self.solve("--offsets", self.path("offsets"))
                self.check_out(x)
                self.assertEqual((report["systems"], report["rows"]), (6, 40))
                self.assertLess(report["residual"], tolerance(dtype))

    def sorted_parts(self, dtype, short):
        """Makes systems, longest first; returns their arrays (dl, d, du, rhs, x), a list of each."""
        parts = [[], [], [], [], []]
        for n in sorted(self.lengths, reverse=True):
            dl, d, du, rhs = (random_array(self.rng, n, dtype) for _ in range(4))
            d += 4 * np.sign(d.real)
            x = expected(dl, d, du, rhs)
            for part, a in zip(parts, (dl[1:] if short else dl, d, du[:-1] if short else du, rhs, x)):
                part.append(a)
        return parts

    def save_in_layout(self, arrays):
        lengths = sorted(self.lengths, reverse=True)
        self.save(**dict(zip(("dl", "d", "du", "rhs"), arrays)),
                  offsets=np.concatenate([[0], np.cumsum(lengths)]))

    def test_packed_layout(self):
        for dtype, short in itertools.product(TYPES, (False, True)):
            with self.subTest(dtype=dtype, short=short):
                rows = range(max(self.lengths))
                *arrays, x = (np.concatenate([[a[k] for a in part if len(a) > k] for k in rows])
                              for part in self.sorted_parts(dtype, short))
                self.save_in_layout([a.astype(dtype) for a in arrays])
                report = self.solve("--offsets", self.path("offsets"), "--ragged-layout", "packed")
                self.check_out(x)
                self.assertEqual((report["systems"], report["rows"]), (6, 40))
                self.assertLess(report["residual"], tolerance(dtype))

    def test_padded_layout(self):
        def lines(part, rows, dtype):
            out = np.zeros((len(part), rows), dtype)
            for line, a in zip(out, part):
                line[:len(a)] = a
            return out
        for dtype, short, axis in itertools.product(TYPES, (False, True), (0, 1)):
            with self.subTest(dtype=dtype, short=short, axis=axis):
                parts = self.sorted_parts(dtype, short)
                *arrays, x = (lines(part, 42 - (short and k in (0, 2)), dtype)
                              for k, part in enumerate(parts))
                self.save_in_layout([a.T if axis == 0 else a for a in arrays])
                report = self.solve("--offsets", self.path("offsets"), "--ragged-layout", "padded",
                                    "--axis", axis)
                self.check_out(x.T if axis == 0 else x)
                self.assertEqual((report["systems"], report["rows"]), (6, 40))
                self.assertLess(report["residual"], tolerance(dtype))

    def test_slabs(self):
        for short in (False, True):
            x = self.ragged(short=short)
            report = self.solve("--offsets", self.path("offsets"), "--memory", 1)
            self.check_out(x)
            self.assertGreater(report["slabs"], 3)

    def test_a_system_that_fails_is_named(self):
        self.ragged()
        rhs = np.load(self.path("rhs"))
        rhs[20] = np.nan  # row 0 of system 3
        self.save(rhs=rhs)
        for memory in ((), ("--memory", 1)):
            report = self.solve("--offsets", self.path("offsets"), *memory, code=3)
            self.assertEqual(report["failed_systems"], 1)
            self.assertEqual(report["first_failed"]["system"], 3)
            self.assertEqual(report["first_failed"]["index"], [3])

    def test_named_algorithms(self):
        x = self.ragged("<f4")
        for algorithm in NAMED:
            report = self.solve("--offsets", self.path("offsets"), "--pivoting", "none", "--algorithm",
                                algorithm, "--device", NAMED_ON)
            self.check_out(x)
            self.assertEqual(report["algorithm"], algorithm)

    @unittest.skipUnless(DEVICE == "cuda", "there is no GPU")
    def test_packed(self):
        x = self.ragged()
        for transformation in ("full", "packed"):
            self.solve("--offsets", self.path("offsets"), "--pivoting", "none", "--algorithm", "thomas",
                       "--transform", transformation)
            self.check_out(x)

    def test_no_rows(self):
        for lengths in ((), (0, 0)):
            self.lengths = lengths or (0,)
            self.ragged()
            self.assertEqual(self.solve("--offsets", self.path("offsets"))["failed_systems"], 0)


class Refused(BadInput):
    def test_constants(self):
        for options, words in (
            (["--constant", "1,2"], ["--constant", "1,2", "DL,D,DU"]),
            (["--constant", "1,x,2"], ["--constant", "'x'"]),
            (["--constant", "1,2,3j4"], ["--constant", "3j4"]),
            (["--constant", "1,4j,1"], ["imaginary"]),
            (["--constant", "1,4,1", "--constant-head", "1"], ["--constant-head", "'1'"]),
            (["--constant", "1,4,1", "--constant-tail", ",,"], ["--constant-tail", "''"]),
            (["--constant", "1,4,1", "--algorithm", "cr", "--pivoting", "none"], ["--algorithm", "cr"]),
            (["--constant", "0,0,0"], ["--constant", "pivot 1 of 8"]),
        ):
            with self.subTest(options=options):
                run = subprocess.run([TRIDIA, "solve", "--rhs", self.path("rhs"), "--out",
                                      self.path("out"), *options], capture_output=True, text=True,
                                     check=False)
                self.assertEqual(run.returncode, 2, run.stderr)
                for word in words:
                    self.assertIn(word, run.stderr)
        self.refuse("--dl", "--constant", options=["--constant", "1,4,1"])
        self.refuse("--constant-head", "--constant", options=["--constant-head", "1,4,1"])
        run = subprocess.run([TRIDIA, "solve", "--rhs", self.path("rhs"), "--out", self.path("out")],
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, "--dl" in run.stderr and "--constant" in run.stderr), (2, True))

    def test_offsets(self):
        flat = dict(zip(("dl", "d", "du", "rhs"), (a.ravel() for a in self.arrays)))
        two_axes = np.array([0, 32])
        self.save(offsets=two_axes)
        self.before = self.names()
        offsets = ["--offsets", str(self.path("offsets"))]
        self.refuse("--offsets", "(4, 8)", options=offsets)
        self.save(**flat)
        for wrong, words in (
            (np.array([1, 32]), ["--offsets", "1", "0"]),
            (np.array([0, 20, 10, 32]), ["--offsets", "10", "20"]),
            (np.array([0, 31]), ["--offsets", "31", "32"]),
            (np.array([[0, 32]]), ["--offsets", "(1, 2)"]),
            (np.zeros(0, dtype="<i8"), ["--offsets", "(0,)"]),
            (np.array([0, 32], dtype="<i4"), ["--offsets", "<i4", "<i8"]),
            (np.array([0.0, 32.0]), ["--offsets", "<f8", "<i8"]),
        ):
            with self.subTest(offsets=wrong):
                self.save(offsets=wrong)
                self.refuse(*words, options=offsets)
        self.save(offsets=np.array([0, 10, 32]))
        self.refuse("--offsets", "system 1", "longest first", options=[*offsets, "--ragged-layout", "packed"])
        self.refuse("--offsets", "two axes", "(32,)", options=[*offsets, "--ragged-layout", "padded"])
        self.refuse("--ragged-layout", "--offsets", options=["--ragged-layout", "packed"])
        self.save(offsets=two_axes, dl=flat["dl"][1:])
        self.refuse("--du", "--offsets", "(31,)", options=offsets)
        self.save(dl=flat["dl"], d=flat["d"][1:])
        self.refuse("--d", "(31,)", "(32,)", options=offsets)
        self.refuse("--offsets", "nowhere", options=["--offsets", str(self.folder / "nowhere")])


if __name__ == "__main__":
    unittest.main()
