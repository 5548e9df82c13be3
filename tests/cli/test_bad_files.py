#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""NPY files that are broken, or hold what is not read, are refused."""

import io
import unittest

from support import BadInput, np, npy


def npy_header(descr="<f8", order=False, shape=(4, 8)):
    """Returns the beginning of an NPY file."""
    file = io.BytesIO()
    npy.write_array_header_1_0(file, {"descr": descr, "fortran_order": order, "shape": shape})
    return file.getvalue()


class Contents(BadInput):
    """Tests files that hold no array that is read."""

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
                self.overwrite("rhs", npy_header(descr) + bytes(4 * 8 * 16))
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
                self.overwrite("d", npy_header(shape=shape) + bytes(256))
                self.refuse("--d", "broken header")
        self.overwrite("d", npy_header(shape=(10**9, 8)) + bytes(256))
        self.refuse("--d", "truncated", "64000000000", "256")
        self.overwrite("d", b"\x93NUMPY\1\0\4\0{}  ")
        self.refuse("--d", "broken header")

    def test_misaligned_data(self):
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 8)}"
        self.overwrite("d", b"\x93NUMPY\1\0" + bytes([len(text), 0]) + text + bytes(256))
        self.refuse("--d", "67", "multiple of 8")


if __name__ == "__main__":
    unittest.main()
