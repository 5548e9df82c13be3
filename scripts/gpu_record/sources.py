# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Finds the files that a family of kernels is compiled from, and condenses them to one digest."""

import hashlib
from functools import cache
from pathlib import Path

from .lexer import tokens_of

CPP = (".cpp", ".hpp", ".cu", ".cuh")
# An include in quotes is looked for in these folders, after the folder of the file that has it.
FOLDERS = ("src", "include", "src/cli", ".")
# CMake makes these headers from these files.
MADE_BY_CMAKE = {
    "shipped_tuning.hpp": (
        "src/solver/cuda/shipped_tuning.hpp.in",
        "src/solver/cuda/shipped_tuning.txt",
    ),
    "version.hpp": ("src/solver/version.hpp.in",),
}


class MissingSource(Exception):
    pass


class Tree:
    """Reads the sources below a folder, each once."""

    def __init__(self, root):
        self.root = Path(root)
        self._tokens = {}
        self.includes = cache(self._includes)

    def find(self, patterns):
        """Finds files by patterns of pathlib; one that begins with ! takes out what it matches.
        Every pattern must match something, so that none is left behind when a file moves."""
        found = set()
        for pattern in patterns:
            taken_out = pattern.startswith("!")
            files = {str(p.relative_to(self.root)) for p in self.root.glob(pattern.lstrip("!"))
                     if p.is_file()}
            if not files:
                raise MissingSource(f"{pattern}: no such file")
            found = found - files if taken_out else found | files
        return found

    def tokens(self, path):
        if path not in self._tokens:
            text = (self.root / path).read_text(encoding="utf-8")
            self._tokens[path] = tokens_of(path, text)
        return self._tokens[path]

    def closure(self, roots):
        """Returns the files and all that they include, directly or not, in whatever branch of
        #if."""
        seen, waiting = set(), list(roots)
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting.extend(self.includes(path))
        return sorted(seen)

    def digest(self, roots):
        """Returns the digest of the closure: of file names and tokens, so that neither comments nor
        white space count."""
        whole = hashlib.sha256()
        for path in self.closure(roots):
            own = hashlib.sha256("\0".join(self.tokens(path)).encode()).hexdigest()
            whole.update(f"{path} {own}\n".encode())
        return whole.hexdigest()[:32]

    def _includes(self, path):
        if not path.endswith(CPP):
            return []
        found = []
        tokens = self.tokens(path)
        for i, word in enumerate(tokens):
            if word == "include" and i > 0 and tokens[i - 1] == "#":
                found.extend(self._resolve(path, tokens[i + 1 :]))
        return found

    def _resolve(self, path, after):
        first = after[0]
        if first.startswith('"'):
            return self._quoted(path, first.strip('"'))
        if first != "<":
            raise MissingSource(f"{path}: includes {first}, which only a compiler can follow")
        name = "".join(after[1 : after.index(">")])
        own = f"include/{name}"
        return [own] if (self.root / own).is_file() else []

    def _quoted(self, path, name):
        # cmake/device_headers.cmake copies sources there.
        copied = name.replace("tridia/device/detail/", "src/", 1)
        if copied != name and (self.root / copied).is_file():
            return [copied]
        for folder in (str(Path(path).parent), *FOLDERS):
            if (self.root / folder / name).is_file():
                return [(Path(folder) / name).as_posix()]
        if name in MADE_BY_CMAKE:
            return MADE_BY_CMAKE[name]
        raise MissingSource(f"{path}: includes {name}, which is not in the tree")
