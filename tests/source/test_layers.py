#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the order of src: includes go down the layers, files are short, folders are small."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SRC = ROOT / "src"
# A layer includes from itself and from those before it. Layers of one line know nothing of each
# other.
LAYERS = (
    ("core",),
    ("layout",),
    ("cpu", "gpu"),
    ("line_operator",),
    ("solver",),
    ("compact",),
    ("distributed",),
    ("c_api", "cli", "lapack"),
)
LEVELS = {name: level for level, names in enumerate(LAYERS) for name in names}
# Backends of a layer know nothing of each other either, but for NCCL, which stands on the kernels that
# move messages between GPUs.
BACKENDS = ("reference", "cpu", "cuda", "mpi", "nccl")
STANDS_ON = {"nccl": "cuda"}
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")
MOST_LINES, MOST_FILES = 450, 25


def sources():
    return sorted(p for p in SRC.rglob("*") if p.suffix in SUFFIXES)


def includes(path):
    """Returns the files of src that a file includes, as parts of their paths."""
    for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
        parts = Path(name).parts
        if parts[0] in LEVELS and (SRC / name).exists():
            yield parts


class Includes(unittest.TestCase):
    def test_every_folder_is_a_layer(self):
        folders = {p.name for p in SRC.iterdir() if p.is_dir() and p.name != "__pycache__"}
        self.assertEqual(folders, set(LEVELS))

    def test_they_go_down_the_layers(self):
        wrong, seen = [], 0
        for path in sources():
            own = path.relative_to(SRC).parts[0]
            for parts in includes(path):
                seen += 1
                up = LEVELS[parts[0]] > LEVELS[own]
                beside = LEVELS[parts[0]] == LEVELS[own] and parts[0] != own
                if up or beside:
                    wrong.append(f"{path.relative_to(SRC)} includes {'/'.join(parts)}")
        self.assertGreater(seen, 500)
        self.assertEqual(wrong, [])

    def test_backends_of_a_layer_are_apart(self):
        wrong = []
        for path in sources():
            own = path.relative_to(SRC).parts
            for parts in includes(path):
                beside = parts[0] == own[0] and parts[1] in BACKENDS and parts[1] != own[1]
                if own[1] in BACKENDS and beside and STANDS_ON.get(own[1]) != parts[1]:
                    wrong.append(f"{path.relative_to(SRC)} includes {'/'.join(parts)}")
        self.assertEqual(wrong, [])


class Sizes(unittest.TestCase):
    def test_files_are_short(self):
        lengths = {str(p.relative_to(SRC)): len(p.read_text(encoding="utf-8").splitlines())
                   for p in sources()}
        self.assertEqual({name: n for name, n in lengths.items() if n > MOST_LINES}, {})

    def test_files_of_the_python_package_are_short(self):
        files = [p for p in (ROOT / "python").rglob("*") if p.suffix in (*SUFFIXES, ".py")]
        self.assertGreater(len(files), 30)
        lengths = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines())
                   for p in files}
        self.assertEqual({name: n for name, n in lengths.items() if n > MOST_LINES}, {})

    def test_folders_are_small(self):
        counts = {str(d): sum(p.is_file() for p in d.iterdir())
                  for d in (SRC, *SRC.rglob("*")) if d.is_dir()}
        self.assertEqual({name: n for name, n in counts.items() if n > MOST_FILES}, {})


if __name__ == "__main__":
    unittest.main()
