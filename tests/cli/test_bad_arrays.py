#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays that do not fit each other or the options are refused."""

import unittest

from support import BadInput, np


class Arrays(BadInput):
    """Tests shapes and types that do not fit each other or the options."""

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


if __name__ == "__main__":
    unittest.main()
