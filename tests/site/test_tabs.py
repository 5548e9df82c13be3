#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks that every code block in a tab of the site is a whole program of examples/, which was compiled,
and which prints what it should.

    test_tabs.py --programs FILE --bin FOLDER --package FOLDER --mpiexec PROGRAM

A line of FILE is SOURCE|ABILITY|EXECUTABLE, as CMakeLists.txt beside this writes it. Programs of a GPU
run where one is visible; what this machine lacks for a program is printed.
"""

import argparse
import ast
import importlib.util
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TAB = re.compile(r"^(:{3,})\{tab-item\}[^\n]*\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(`{3,})(\S*)[ \t]*(\S*)\n(.*?)^\1\s*$", re.MULTILINE | re.DOTALL)
HAS_GPU = Path("/dev/nvidiactl").exists()

# Ten steps of the tutorial, at the middle point; its page says why.
LEFT = f"{math.sin(math.pi * 50 / 101) * (1 + 50 * 4 * math.sin(math.pi / 202) ** 2) ** -10:.6f}"
EXPECTED = {
    "first/": "1.000000",
    "tutorial/status.py": "[0 1 0] [0.5 nan 0.5]",
    "tutorial/status.cpp": "0 0.5\n1 nan\n0 0.5",
    "tutorial/": LEFT,
    "coming_from/cusparse": "1.000000",
    "coming_from/pencils": "T",
}
arguments = None


def blocks(text):
    """Yields (what stands after the fence, its argument, its options) of the code blocks in tabs."""
    for tab in TAB.finditer(text):
        found = list(BLOCK.finditer(tab[2]))
        if not found:
            raise AssertionError(f"a tab without a code block: {tab[0]}")
        for block in found:
            yield block[2], block[3], block[4]


def shown_in_tabs(docs):
    """Returns the programs below examples/ that tabs show, and what is wrong with other blocks."""
    shown, wrong = set(), []
    for page in sorted(docs.rglob("*.md")):
        for kind, argument, options in blocks(page.read_text(encoding="utf-8")):
            path = (page.parent / argument).resolve() if argument else None
            if kind != "{literalinclude}" or not path.is_file() or ROOT / "examples" not in path.parents:
                wrong.append(f"{page.name}: a block in a tab is no program of examples/: {kind} {argument}")
                continue
            lines = re.search(r"^:lines: (.*)$", options, re.MULTILINE)
            if re.search(r"^:(start|end|pyobject)", options, re.MULTILINE) or not lines or lines[1] != "2-":
                wrong.append(f"{page.name}: {argument} is not shown whole, less its licence line")
            shown.add(path.relative_to(ROOT / "examples").as_posix())
    return shown, wrong


def output_of(command, folder):
    environment = {**os.environ, "PYTHONPATH": str(arguments.package),
                   "PATH": os.pathsep.join((str(arguments.bin), str(Path(sys.executable).parent),
                                            os.environ["PATH"]))}
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=120)
    if run.returncode:
        raise AssertionError(f"{command}: {run.stderr}")
    return run.stdout.strip()


def modules_of(path):
    """Returns the top names of the modules that a script imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {name.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import)
            for name in node.names}


class Tabs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shown, cls.wrong = shown_in_tabs(ROOT / "docs")
        cls.compiled = {}
        for line in arguments.programs.read_text(encoding="utf-8").splitlines():
            source, ability, executable = line.split("|")
            cls.compiled[source] = (ability, executable)
        # The tutorial shows these without tabs.
        cls.programs = cls.shown | {"tutorial/line.py", "tutorial/field.py", "tutorial/ranks.cpp",
                                    "tutorial/cluster.cpp"}

    def test_blocks_are_programs(self):
        self.assertEqual(self.wrong, [])
        self.assertGreaterEqual(len(self.shown), 20)

    def test_no_program_is_left_out(self):
        files = {path.relative_to(ROOT / "examples").as_posix()
                 for folder in ("first", "tutorial", "coming_from")
                 for path in (ROOT / "examples" / folder).iterdir() if path.suffix != ".pyc"}
        self.assertEqual(files, self.programs)

    def command(self, source, folder):
        """Returns how a program is run here, or None, with the reason."""
        path = ROOT / "examples" / source
        if path.suffix == ".py":
            compile(path.read_text(encoding="utf-8"), source, "exec")
            missing = [m for m in modules_of(path) if m != "tridia" and importlib.util.find_spec(m) is None]
            if missing or ("cupy" in modules_of(path) and not HAS_GPU):
                return None, f"is valid Python, but {', '.join(missing) or 'a GPU'} is not here to run it"
            return [sys.executable, "-B", path], ""
        if path.suffix == ".sh":
            return ["bash", "-e", path], ""
        ability, executable = self.compiled[source]
        if ability == "missing":
            return None, "was NOT COMPILED: what it needs is not here"
        if ability.startswith("gpu") and not HAS_GPU:
            return None, "was compiled; there is no GPU to run it"
        if "ranks" in ability:
            return [arguments.mpiexec, "-n", "2", executable], ""
        return [executable], ""

    def test_they_run(self):
        printed = {}
        with tempfile.TemporaryDirectory() as folder:
            for source in sorted(self.programs):
                with self.subTest(source):
                    command, reason = self.command(source, folder)
                    if command is None:
                        print(f"{source} {reason}")
                        continue
                    printed[source] = output_of(command, folder).splitlines()
                    expected = next((v for k, v in EXPECTED.items() if source.startswith(k)), None)
                    if expected is not None:
                        lines = expected.splitlines()
                        self.assertEqual(printed[source][-len(lines):], lines)
        for source, lines in printed.items():
            if "_before." in source and source.replace("_before.", "_after.") in printed:
                with self.subTest(source):
                    self.assertEqual(lines, printed[source.replace("_before.", "_after.")])
        self.assertGreaterEqual(len(printed), 12)

    def test_it_can_fail(self):
        text = ("::::{tab-set}\n:::{tab-item} A\n```cpp\nint x;\n```\n:::\n:::{tab-item} B\n"
                "```{literalinclude} ../README.md\n:lines: 2-\n```\n:::\n::::\n")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "page.md").write_text(text, encoding="utf-8")
            shown, wrong = shown_in_tabs(Path(folder))
        self.assertEqual((len(shown), len(wrong)), (0, 2))
        with self.assertRaises(AssertionError):
            list(blocks(":::{tab-item} A\nwords\n:::\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--programs", "--bin", "--package"):
        parser.add_argument(name, required=True, type=Path)
    parser.add_argument("--mpiexec", required=True)
    arguments = parser.parse_args()
    unittest.main(argv=sys.argv[:1])
