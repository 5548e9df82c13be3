#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests that test_symbols.py sees what it is for."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_symbols import interface, judge, strangers  # noqa: E402

VERSION = f"TRIDIA_{interface()}"
GOOD = [("T", "tridia_solve", VERSION), ("A", VERSION, VERSION), ("T", "_ZN6tridia7versionEv", ""),
        ("V", "_ZTVN6tridia5errorE", ""), ("W", "_ZNSt6vectorIdSaIdEED1Ev", ""),
        ("T", "_ZNK6tridia4plan6reasonB5cxx11Ev", "")]


class Rules(unittest.TestCase):
    def titles(self, symbols, names=("tridia_solve",), listed=("tridia_solve",)):
        return [title for title, _ in judge("libtridia.a", set(names), set(listed), symbols)]

    def test_namespace(self):
        self.assertEqual(strangers(GOOD), set())
        for kind, name in (("T", "helper"), ("W", "inline_helper"), ("T", "_Z6helperv"), ("B", "buffer"),
                           ("T", "_ZN5other4pathEv"), ("T", "_ZN7tridiax1fEv"), ("D", "_ZSt4cout")):
            self.assertEqual(strangers([*GOOD, (kind, name, "")]), {name})

    def test_lists(self):
        self.assertEqual(self.titles(GOOD), [])
        self.assertEqual(self.titles(GOOD[1:]), ["in its list, not in the library"])
        self.assertEqual(self.titles([*GOOD, ("T", "tridia_secret", VERSION)]),
                         ["in the library, not in its list"])
        self.assertEqual(self.titles(GOOD, names=()), ["in its list, not declared"])
        self.assertEqual(self.titles(GOOD, listed=()),
                         ["declared, not in its list", "in the library, not in its list"])


if __name__ == "__main__":
    unittest.main()
