#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are solved in slabs: the same files, bit for bit, as in one piece."""

import itertools
import unittest

from support import TYPES, Case, expected, np


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


if __name__ == "__main__":
    unittest.main()
