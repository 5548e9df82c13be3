#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests bench/migrate.py: names change, what was measured does not."""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True

import migrate

RESULTS = sorted((ROOT / "bench" / "results").rglob("*.json"))


def format_1(text):
    """Returns the text of format 1 from which a text of format 2 was made."""
    text = text.replace(' "format": 2,\n', "", 1)
    for old, new in migrate.CASES.items():
        text = text.replace(f'"case": "{new}"', f'"case": "{old}"')
    for old, new in migrate.ALGORITHMS.items():
        text = text.replace(f'"note": "{new}:', f'"note": "{old}:')
    return text


def numbers(text):
    """Returns all numbers of a text as they are written, those in names as well, as all of it
    counts."""
    return re.findall(r"-?[0-9][0-9.eE+-]*", text)


class Migrate(unittest.TestCase):
    def test_committed_results_are_of_the_newest_format(self):
        self.assertGreater(len(RESULTS), 20)
        for path in RESULTS:
            with self.subTest(path=path):
                results = json.loads(path.read_text(encoding="utf-8"))
                self.assertEqual(results["format"], migrate.FORMAT)
                self.assertIs(migrate.upgrade(results), results)

    def test_all_but_names_is_as_it_was(self):
        changed = 0
        for path in RESULTS:
            with self.subTest(path=path):
                new = path.read_text(encoding="utf-8")
                old = format_1(new)
                self.assertEqual(migrate.migrate(old), new)
                self.assertEqual(numbers(new), ["2", *numbers(old)])
                before, after = json.loads(old), json.loads(new)
                self.assertEqual(migrate.upgrade(before), after)
                for a, b in zip(before["rows"], after["rows"]):
                    self.assertEqual({**a, "case": 0, "note": 0}, {**b, "case": 0, "note": 0})
                    changed += a != b
        self.assertGreater(changed, 100)

    def test_a_newer_format_is_refused(self):
        with self.assertRaisesRegex(ValueError, "format 3"):
            migrate.migrate('{\n "format": 3,\n "rows": []\n}\n')

    def test_another_layout_is_refused(self):
        case = next(iter(migrate.CASES))
        text = json.dumps({"rows": [{"case": case, "note": None}]})
        with self.assertRaisesRegex(ValueError, "laid out"):
            migrate.migrate(text)


if __name__ == "__main__":
    unittest.main()
