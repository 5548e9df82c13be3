# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A digest covers what a family includes, directly or not, and the families cover the sources."""

import re
import tempfile
import unittest
from pathlib import Path

from tool import ROOT, families, sources

FILES = {
    "src/a.cu": '#include "core/b.hpp"\n#include <vector>\n#include <tridia/d.hpp>\nint a;\n',
    "src/core/b.hpp": '#pragma once\n#if defined(X)\n#include "c.hpp"\n#endif\n',
    "src/core/c.hpp": '#pragma once\n#include "b.hpp"\nint c;\n',
    "include/tridia/d.hpp": "int d;\n",
    "src/other.cpp": "int other;\n",
    "src/flags.cmake": "set(flags -O3)\n",
}


class MadeTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def digest(self, *patterns):
        tree = sources.Tree(self.root)
        return tree.digest(tree.find(patterns or ("src/a.cu", "src/flags.cmake")))

    def test_the_closure_follows_includes(self):
        tree = sources.Tree(self.root)
        self.assertEqual(tree.closure(["src/a.cu"]),
                         ["include/tridia/d.hpp", "src/a.cu", "src/core/b.hpp", "src/core/c.hpp"])

    def test_code_changes_the_digest(self):
        before = self.digest()
        for name in ("src/a.cu", "src/core/c.hpp", "include/tridia/d.hpp", "src/flags.cmake"):
            self.write(name, FILES[name].replace("int", "long").replace("-O3", "-O2"))
            self.assertNotEqual(self.digest(), before, name)
            self.write(name, FILES[name])
        self.assertEqual(self.digest(), before)

    def test_comments_and_white_space_do_not(self):
        before = self.digest()
        self.write("src/core/c.hpp", '// new\n#pragma once\n#include   "b.hpp"\n\n\nint\n  c ;\n')
        self.write("src/flags.cmake", "# new\nset(flags\n  -O3)\n")
        self.assertEqual(self.digest(), before)

    def test_what_nothing_includes_does_not(self):
        before = self.digest()
        self.write("src/other.cpp", "int more;\n")
        self.assertEqual(self.digest(), before)

    def test_a_new_include_does(self):
        before = self.digest()
        self.write("src/core/b.hpp", FILES["src/core/b.hpp"] + '#include "e.hpp"\n')
        self.write("src/core/e.hpp", "int e;\n")
        with_it = self.digest()
        self.assertNotEqual(with_it, before)
        self.write("src/core/e.hpp", "int f;\n")
        self.assertNotEqual(self.digest(), with_it)

    def test_an_include_that_leads_nowhere_is_an_error(self):
        for line in ('#include "nowhere.hpp"\n', "#include NAME\n"):
            self.write("src/core/c.hpp", line)
            with self.assertRaises(sources.MissingSource):
                self.digest()

    def test_patterns_add_and_take_out(self):
        tree = sources.Tree(self.root)
        self.assertEqual(tree.find(("src/*", "!src/*.cmake", "src/core/c.hpp")),
                         {"src/a.cu", "src/other.cpp", "src/core/c.hpp"})
        with self.assertRaises(sources.MissingSource):
            tree.find(("src/*.cxx",))


class ThisTree(unittest.TestCase):
    """Checks that every file of the library that a GPU's results could depend on is in a family."""

    # These files run on CPUs alone, replace others in builds without CUDA, describe the machine, or
    # bring calls of other languages to the C++ interface.
    OTHERS = re.compile(r"/(cpu|reference)/|/\w*absent\.[ch]pp$|\.py$|^include/tridia/(tridia|version)\.hpp$"
                        r"|^src/solver/(info\.cpp|scalar_executor\.hpp)$"
                        r"|^src/(c_api|lapack)/|^src/(c_api|lapack)\.cmake$"
                        r"|^include/tridia/c/|^include/tridia\w*\.h$"
                        r"|^src/(CMakeLists\.txt|cpu_kernels\.cmake)$"
                        r"|^include/tridia/(solve_lines|line_solver|simd|math)\.hpp$"
                        r"|^include/tridia/detail/")

    @classmethod
    def setUpClass(cls):
        cls.tree = sources.Tree(ROOT)
        cls.closures = {f.name: cls.tree.closure(cls.tree.find(f.roots))
                        for f in families.FAMILIES}

    def test_every_source_is_in_a_family(self):
        covered = {path for closure in self.closures.values() for path in closure}
        every = self.tree.find(("src/**/*.*", "include/**/*.*"))
        left = sorted(p for p in every if p not in covered and not self.OTHERS.search(p))
        self.assertEqual(left, [], "add them to the roots of scripts/gpu_record/families.py")

    def test_the_core_is_in_every_family_of_kernels(self):
        for name, closure in self.closures.items():
            if families.BY_NAME[name].older_cards:
                self.assertIn("src/core/complex.hpp", closure, name)
                self.assertIn("src/cuda_kernels.cmake", closure, name)

    def test_families_are_told_apart(self):
        holders = {"src/solver/cuda/named/cyclic_reduction.cu": ["named"],
                   "src/solver/cuda/factored/substitute.cu": ["factored"],
                   "src/compact/cuda/plain.cu": ["compact", "distributed"],
                   "src/distributed/cuda/lines.cu": ["distributed"],
                   "src/cli/commands/solve_command.cpp": ["command line"]}
        for path, expected in holders.items():
            found = [name for name, closure in self.closures.items() if path in closure]
            self.assertEqual(found, expected, path)


if __name__ == "__main__":
    unittest.main()
