#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks that retired names do not come back: retired_words.txt lists them."""

import re
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "retired_words.txt"
PLACES = ("include", "src", "bench", "examples", "tests", "docs", "scripts", "python", "fortran", "README.md")
SUFFIXES = (".c", ".f90", ".F90", ".inc", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".py", ".txt", ".md", ".cmake", ".in", ".sh")


def retired(text):
    """Yields the lines of a list: the old name, the current one, and where the old one may
    stand."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            old, new, *legal = line.split()
            yield old, new, legal


def pattern(names):
    """Returns a pattern of any of these names, not as a part of a longer one."""
    return re.compile("|".join(
        (r"(?<!\w)" if re.match(r"\w", name) else "") + re.escape(name) +
        (r"(?!\w)" if re.match(r"\w", name[-1]) else "")
        for name in sorted(names, key=len, reverse=True)))


def sources(root):
    for place in PLACES:
        top = root / place
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and path != LIST:
                yield path


def found(root, words):
    """Returns `path:line: old is new now` for each retired name where it may not stand."""
    words = {old: (new, legal) for old, new, legal in words}
    any_of = pattern(words)
    wrong = []
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for m in any_of.finditer(line):
                new, legal = words[m[0]]
                if not name.startswith(tuple(legal)):
                    wrong.append(f"{name}:{number}: {m[0]} is {new} now")
        for old, (new, legal) in words.items():
            # A file's own path counts as well.
            if ("." in old or "/" in old) and old in (path.name, path.parent.relative_to(root).as_posix()):
                wrong.append(f"{name}: {old} is {new} now")
    return wrong


class Words(unittest.TestCase):
    def test_none_is_back(self):
        self.assertGreater(len(list(sources(ROOT))), 300)
        self.assertEqual(found(ROOT, retired(LIST.read_text(encoding="utf-8"))), [])

    def test_the_list_names_each_once(self):
        old = [o for o, _, _ in retired(LIST.read_text(encoding="utf-8"))]
        self.assertEqual(sorted(set(old)), sorted(old))

    def test_it_can_fail(self):
        words = list(retired("# a comment\n\nspins timer\n\"lumps\" \"pieces\" src/old\n"
                             "spins.hpp timer.hpp\n--far --near\n"))
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in (("src/a.cpp", "int overspins, spins_; // no\nspins x;\n"),
                               ("src/spins.hpp", "\n"),
                               ("src/old/b.cpp", 'f("lumps");\n'),
                               ("docs/c.md", 'f("lumps"), tool --far, --farther\n')):
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            self.assertEqual(found(root, words), [
                "src/a.cpp:2: spins is timer now",
                "src/spins.hpp: spins.hpp is timer.hpp now",
                'docs/c.md:1: "lumps" is "pieces" now',
                "docs/c.md:1: --far is --near now"])


if __name__ == "__main__":
    unittest.main()
