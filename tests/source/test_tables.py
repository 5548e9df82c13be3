#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks that tables of the docs are what their scripts make from the results that they name."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
sys.dont_write_bytecode = True

import cpu_tables  # noqa: E402
import gpu_tables  # noqa: E402
import inside_tables  # noqa: E402
import jax_call  # noqa: E402
import map_tables  # noqa: E402
import paper_tables  # noqa: E402
import paper_tuning  # noqa: E402
import python_call  # noqa: E402
import readme  # noqa: E402
import readme_derive  # noqa: E402
import scaling  # noqa: E402
import wheel_table  # noqa: E402
from report import load  # noqa: E402

BLOCK = re.compile(r"<!-- begin: (bench/\S+)( \w+|) -->\n(.*?)<!-- end: \1\2 -->", re.DOTALL)
LINK = re.compile(r"\]\(([^)]*bench/results/[^)]*\.json)\)")


def block_of_readme(path, _, files, sources):
    make = readme.short_text if path.name == "README.md" else readme.text
    return make(files[0], sources[0])


def block_of_readme_derive(path, _, files, sources):
    sources = [source.removeprefix("../") for source in sources]
    if path.name == "performance.md":
        return readme_derive.performance_text(*files, sources)
    return readme_derive.docs_text(files[0], sources[0])


def block_of_scaling(_, __, files, sources):
    return scaling.text(files, sources)


def block_of_gpu_tables(_, name, files, sources):
    return gpu_tables.text(name.strip(), files, sources)


def block_of_map_tables(_, __, files, sources):
    return map_tables.text(files, sources)


def block_of_cpu_tables(_, __, files, sources):
    return cpu_tables.text(files, sources)


def block_of_inside_tables(_, __, files, sources):
    return inside_tables.text(files[0], sources[0])


def block_of_paper_tables(_, name, files, sources):
    return paper_tables.text(name.strip(), files, sources)


def block_of_wheel_table(_, __, files, sources):
    return wheel_table.text(files[0], sources[0])


def block_of_jax_call(_, __, files, sources):
    return jax_call.text(files, sources)


def block_of_python_call(_, __, files, sources):
    return python_call.text(files, sources)


MAKERS = {
    "bench/cpu_tables.py": block_of_cpu_tables,
    "bench/gpu_tables.py": block_of_gpu_tables,
    "bench/inside_tables.py": block_of_inside_tables,
    "bench/jax_call.py": block_of_jax_call,
    "bench/map_tables.py": block_of_map_tables,
    "bench/paper_tables.py": block_of_paper_tables,
    "bench/python_call.py": block_of_python_call,
    "bench/readme.py": block_of_readme,
    "bench/readme_derive.py": block_of_readme_derive,
    "bench/scaling.py": block_of_scaling,
    "bench/wheel_table.py": block_of_wheel_table,
}


class Tables(unittest.TestCase):
    def compare(self, path, script, name, old):
        sources = list(dict.fromkeys(LINK.findall(old)))
        self.assertTrue(sources, "it names no results")
        files = [load((path.parent / source).resolve()) for source in sources]
        new = MAKERS[script](path, name, files, sources)
        if not isinstance(new, str):
            new = "\n".join(new)
        self.assertEqual(old.strip("\n").splitlines(), self.inside(new).splitlines())

    @staticmethod
    def inside(text):
        """Returns a block without its two comments, which some scripts make and some do not."""
        lines = [line for line in text.strip("\n").splitlines()
                 if not re.match(r"<!-- (begin|end): bench/", line)]
        return "\n".join(lines).strip("\n")

    def test_they_are_what_scripts_make(self):
        seen = set()
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for script, name, old in BLOCK.findall(path.read_text(encoding="utf-8")):
                with self.subTest(page=path.name, script=script + name):
                    self.compare(path, script, name, old)
                    seen.add(script)
        self.assertEqual(seen, set(MAKERS))


def by_the_thesis(rows):
    """Returns rows as a run with the thesis's method has them: twice as slow, with its steps."""
    whole = [r for r in rows if r["case"].endswith(" derivative") and r["solver"] == "tridia nccl"
             and "(1, 1, 1)" not in r["layout"]]
    gathered = [{**r, "solver": "tridia nccl gather", "ms": 2 * r["ms"]} for r in whole]
    parts = {"halo": 1, "right-hand sides": 2, "primary": 12, "faces": 2, "reduced": 1, "sum": 2}
    return rows + gathered + [{**r, "case": f"{r['case']}, {step}", "ms": r["ms"] * part / 20}
                              for r in (*whole, *gathered) for step, part in parts.items()]


class Cluster(unittest.TestCase):
    """Tests what only newer results of `tridia reproduce cluster` have."""

    SOURCE = "bench/results/nvidia-h200-x2/cluster-2026-11-22.json"

    def text(self, change):
        results = load(ROOT / self.SOURCE)
        return "\n".join(paper_tables.text("cluster", [{**results, "rows": change(results["rows"])}],
                                           [f"../{self.SOURCE}"]))

    def test_the_thesis_method_is_beside_automatic(self):
        text = self.text(by_the_thesis)
        self.assertIn("| 512^3 | 2 | one | automatic | 0.3835 (1.57) |", text)
        self.assertIn("| 512^3 | 2 | one | gather | 0.7670 (0.79) |", text)
        self.assertEqual(len(re.findall(r"\| 512\^3 \| 1 \| none \|", text)), 1)
        self.assertIn("takes 2.00 (strong) and 2.00 (weak) times as long as `automatic`", text)
        self.assertIn("| method | halo | right-hand sides | primary | faces | reduced | sum | whole |", text)
        self.assertRegex(text, r"\| 1024\^3 \| y \| \(1, 2, 1\) \| gather \| 0\.230 \| 0\.460 \| 2\.762 \|")
        self.assertIn("| **held** | `gather`: 60 %; `automatic`, right-hand side, solve and sum in one step: "
                      "60 % |", text)

    def test_results_of_cpu_ranks_alone(self):
        text = self.text(lambda rows: [{**r, "solver": r["solver"].replace("nccl", "mpi")}
                                       for r in by_the_thesis(rows) if r["solver"] != "tridia mpi"])
        self.assertIn("| points a CPU rank | CPU ranks |", text)
        self.assertIn("| a GPU is 3.4 to 9.1 times as fast as eight cores | **not measured** |", text)


class ShippedTuning(unittest.TestCase):
    """Compares the tuning table that comes with the library with results of the papers' algorithms."""

    RESULTS = [ROOT / f"bench/results/nvidia-h200/{name}-2026-11-22.json" for name in ("hybrid", "packing")]

    def test_its_values_are_as_fast_as_any(self):
        times = paper_tuning.measured([load(path) for path in self.RESULTS])
        entry = re.compile(r"(?m)^9\.0 (\w+) (\w+) none contiguous (\d+)(?: \w+=(\d+))?$")
        text = (ROOT / "src/solver/cuda/shipped_tuning.txt").read_text(encoding="utf-8")
        shipped = {(algorithm, kind, int(rows)): value
                   for algorithm, kind, rows, value in entry.findall(text)}
        self.assertIn(("pcr_thomas", "f64", 1024), times)
        for key, found in times.items():
            with self.subTest(key=key):
                self.assertIn(key, shipped)
                if shipped[key]:
                    self.assertLess(found[int(shipped[key])], 1.02 * min(found.values()))

    def test_entries_are_of_what_gains(self):
        def row(solver, value, ms, **fields):
            return {"solver": f"tridia cuda, {solver}", "type": "f64", "n": 64, "ms": ms, "error": None,
                    "parameter": f"switch point {value}", "note": f"switch point {value}", **fields}
        files = [{"rows": [row("cr_pcr", 8, 1.0), row("cr_pcr", 16, 0.99), row("pcr_thomas", 8, 1.0),
                           row("pcr_thomas", 16, 0.9), row("cr_pcr", 8, 1.0, parameter=None),
                           row("pcr_thomas", 8, 1.0, parameter=None)]}]
        self.assertEqual(paper_tuning.entries(files),
                         {("cr_pcr", "f64", 64): None, ("pcr_thomas", "f64", 64): 16})
        self.assertEqual(paper_tuning.line("pcr_thomas", "f64", 64, 16),
                         "9.0 pcr_thomas f64 none contiguous 64 switch_point=16")


if __name__ == "__main__":
    unittest.main()
