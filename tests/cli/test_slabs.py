#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are solved in slabs give the same files as in one piece, bit for bit, unless a GPU
solves: there, the rounding of a system depends on those beside it."""

import itertools
import unittest

from support import DEVICE, TYPES, Case, expected, np


class Slabs(Case):
    def check_as_in_one_piece(self, *options, memory):
        one = self.solve(*options)
        self.assertEqual(one["slabs"], 1)
        whole = self.path("out").rename(self.folder / "whole.npy")
        many = self.solve(*options, "--memory", memory)
        self.assertGreater(many["slabs"], 1)
        keys = ["systems", "rows", "bytes_moved", "algorithm"]
        if DEVICE == "cpu":
            self.assertEqual(self.path("out").read_bytes(), whole.read_bytes())
            keys.append("residual")
        else:
            self.check_out(np.load(whole))
        for key in keys:
            self.assertEqual(many[key], one[key])
        return many["slabs"]

    def test_every_layout(self):
        for dtype, order, axis in itertools.product(TYPES, "CF", range(3)):
            with self.subTest(dtype=dtype, order=order, axis=axis):
                self.systems((9, 10, 11), dtype, order=order)
                self.check_as_in_one_piece("--axis", axis, memory="1K")
                self.check_as_in_one_piece("--axis", axis, memory="10K")
                self.check_as_in_one_piece("--axis", axis, "--pivoting", "none", memory="4K")

    def test_one_system_a_slab(self):
        self.systems((3, 4, 5))
        self.assertEqual(self.check_as_in_one_piece(memory=1), 12)

    def test_periodic_and_shared(self):
        self.systems((9, 40))
        self.check_as_in_one_piece("--periodic", memory="2K")
        d = self.rng.uniform(4, 5, 40)
        self.save(dl=d / 5, d=d, du=d / 7)
        self.check_as_in_one_piece(memory="1K")
        self.check_as_in_one_piece("--transpose", memory="1K")

    def test_mixed_orders_and_broadcast(self):
        dl, d, du, rhs = self.systems((9, 10, 11))
        self.save(dl=np.asfortranarray(dl), d=d[:, :1], du=du[0, 0])
        self.check_as_in_one_piece(memory="3K")
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


if __name__ == "__main__":
    unittest.main()
