#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""`tridia bench map`: its cells, its results, and what is made of them."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from support import TRIDIA, Case

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import map_tables  # noqa: E402
import plot_map  # noqa: E402

PROGRAM = Path(TRIDIA).with_name("tridia_bench")
FEATURES = ("C6", "C8", "F10", "own", "pivoted, dominant", "pivoted, random", "shared", "constants",
            "saved factors of many", "saved factors of one", "4 right-hand sides of many",
            "4 right-hand sides of one", "16 right-hand sides of many", "16 right-hand sides of one")
WORDS = {"own": 5, "pivoted, dominant": 5, "pivoted, random": 5, "saved factors of many": 5,
         "4 right-hand sides of many": 11, "4 right-hand sides of one": 8,
         "16 right-hand sides of many": 35, "16 right-hand sides of one": 32}
FIELDS = ("case", "solver", "type", "n", "batch", "layout", "boundary", "pivoting", "threads", "ms",
          "ms_min", "repetitions", "floor_ms", "roofline_fraction", "residual", "workspace_bytes", "note",
          "error", "operation", "right_hand_sides", "width", "size", "shape", "rows", "words",
          "algorithm", "setup_ms", "times_floor", "estimate")


@unittest.skipUnless(PROGRAM.exists(), "the benchmark was not built")
class Map(Case):
    def run_map(self, *arguments, code=0):
        run = subprocess.run([TRIDIA, "bench", "map", *map(str, arguments)], capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def results(self, *arguments):
        file = self.folder / "map.json"
        self.run_map("--quick", "--json", file, *arguments)
        return json.loads(file.read_text())

    def test_every_feature(self):
        # A busy machine must not make a cell slow enough to be estimated.
        results = self.results("--limit", "60000", "--setup-limit", "600000")
        self.assertEqual(results["format"], 2)
        self.assertIn("tridia", results["versions"])
        self.assertIn("bench map --quick", "bench " + results["command"].partition(" ")[2])
        self.assertTrue(results["machine"]["device"])
        rows = plot_map.cells(results)
        names = {name + variant for name in FEATURES for variant in ("", ", periodic", ", transposed")}
        for kind in ("f64", "f32"):
            self.assertEqual({plot_map.feature(r) for r in rows if r["type"] == kind}, names)
        for r in rows:
            with self.subTest(case=r["case"], shape=r["shape"], layout=r["layout"]):
                self.check_row(r)
        copies = [r for r in results["rows"] if r["solver"] == "copy"]
        self.assertEqual(len(results["rows"]), len(rows) + len(copies) + 1)
        self.assertGreater(len(copies), 1)

    def check_row(self, r):
        self.assertEqual(set(FIELDS), set(r) - {"parameter"})
        self.assertIsNone(r["error"])
        self.assertEqual(r["words"], WORDS.get(r["case"], 2))
        self.assertEqual(r["rows"], r["n"] * r["batch"] * r["right_hand_sides"])
        self.assertLessEqual(r["rows"], 2**12)
        self.assertGreater(r["floor_ms"], 0)
        if r["ms"] is None:  # a line is too short for the scheme
            self.assertIn(r["case"], ("C6", "C8", "F10"))
            self.assertIn("too few for", r["note"])
            return
        self.assertAlmostEqual(r["times_floor"], r["ms"] / r["floor_ms"], delta=1e-9 * r["times_floor"])
        self.assertTrue(r["note"])
        operator = r["case"] in ("C6", "C8", "F10")
        self.assertEqual(r["algorithm"] == "operator", operator)
        if operator or r["case"] == "constants":
            self.assertIsNone(r["residual"])
        else:
            self.assertTrue(r["note"].startswith(r["algorithm"] + ": "))
            self.assertLess(r["residual"], 1e-4 if r["type"] == "f32" else 1e-12)

    def test_some_features_and_types(self):
        rows = plot_map.cells(self.results("--types", "c128,c64", "--only", "^own"))
        self.assertEqual({r["case"] for r in rows}, {"own"})
        self.assertEqual({r["type"] for r in rows}, {"c128", "c64"})

    def test_what_is_slow_is_estimated(self):
        rows = plot_map.cells(self.results("--types", "f64", "--only", "^own$", "--limit", "1e-9"))
        estimated = [r for r in rows if r["estimate"]]
        self.assertGreater(len(estimated), 0)
        self.assertLess(len(estimated), len(rows))
        for r in estimated:
            e = r["estimate"]
            self.assertIsNone(r["ms"])
            smaller = [s for s in rows if s["ms"] and (s["n"], s["batch"]) == (e["of_n"], e["of_batch"])]
            self.assertIn(e["of_ms"], [s["ms"] for s in smaller])
            self.assertLessEqual(e["of_n"], r["n"])
            self.assertLessEqual(e["of_batch"], r["batch"])
            self.assertAlmostEqual(e["ms"], e["of_ms"] * r["n"] / e["of_n"], delta=1e-9)
            self.assertAlmostEqual(r["times_floor"], e["ms"] / r["floor_ms"], delta=1e-9 * r["times_floor"])

    def test_what_is_slow_to_set_up_is_not_run(self):
        rows = plot_map.cells(self.results("--types", "f64", "--only", "^own$", "--setup-limit", "1e-9"))
        # On a machine that others use, a cell may be left out because it is slow itself.
        absent = [r for r in rows if r["ms"] is None and r["estimate"] is None]
        self.assertGreater(len(absent), 0)
        self.assertLess(len(absent), len(rows))
        for r in absent:
            self.assertRegex(r["note"], r"not run: its plan .* as that of \d+ x \d+ took")
            self.assertIsNone(r["times_floor"])
            self.assertIsNone(r["estimate"])

    def test_shapes(self):
        rows = plot_map.cells(self.results("--types", "f64", "--only", "^own$", "--shapes", "64 rows, contiguous$"))
        self.assertGreater(len(rows), 0)
        for r in rows:
            self.assertEqual((r["shape"], r["layout"]), ("64 rows", "contiguous"))

    def test_list(self):
        lines = self.run_map("--list").stdout.splitlines()
        self.assertEqual(len(lines), 2 * 3 * len(FEATURES) + 1)
        count = sum(int(line.split()[-1]) for line in lines[:-1])
        self.assertEqual(lines[-1], f"{count} cells")
        self.assertTrue(500 < count < 1500, count)
        more = int(self.run_map("--list", "--device", "cuda").stdout.split()[-2])
        self.assertTrue(count < more < 1700, more)

    def test_wrong_arguments(self):
        for arguments, words in (
                (["--types", "f16"], ["--types", '"f16"']),
                (["--types", ""], ["--types"]),
                (["--only", "("], ["--only", '"("']),
                (["--only", "nothing is called so"], ["--only", "--list"]),
                (["--shapes", "["], ["--shapes", '"["']),
                (["--shapes", "no shape"], ["--shapes", '"no shape"']),
                (["--device", "gpu"], ["--device", '"gpu"']),
                (["--limit", "0"], ["--limit"]),
                (["--setup-limit", "x"], ["--setup-limit"]),
                (["--seed", "x"], ["--seed"]),
                (["--tuning", "no such file"], ["--tuning"]),
                (["--json"], ["--json"]),
                (["--quack"], ["--quack"]),
                (["solve"], ["solve"])):
            with self.subTest(arguments=arguments):
                run = self.run_map("--quick", *arguments, code=2)
                self.assertEqual(run.stdout, "")
                for word in words:
                    self.assertIn(word, run.stderr)

    def test_results_that_cannot_be_written(self):
        run = self.run_map("--quick", "--only", "^own$", "--json", self.folder / "no" / "map.json", code=2)
        self.assertIn("--json", run.stderr)

    def test_plot(self):
        file = self.folder / "map it's.png"
        arguments = ["--quick", "--only", "^C6$", "--plot", file]
        run = subprocess.run([TRIDIA, "bench", "map", *map(str, arguments)], capture_output=True,
                             text=True, check=False)
        if "python3-matplotlib" in run.stderr:
            self.skipTest("the program finds no matplotlib")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(file.read_bytes().startswith(b"\x89PNG\r\n"))


def row(times, **fields):
    known = {"case": "own", "solver": "tridia cpu", "type": "f64", "n": 64, "batch": 64,
             "layout": "contiguous", "boundary": "regular", "operation": "none", "right_hand_sides": 1,
             "size": "2^24", "rows": 2**24, "shape": "64 rows", "times_floor": times, "estimate": None, "note": None}
    return {**known, **fields}


class Tables(unittest.TestCase):
    rows = [row(1.2), row(1.5, layout="interleaved"), row(2.0, shape="1 line", n=2**24),
            row(77.0, case="C6", shape="1 line", n=2**24, estimate={"ms": 1.0}),
            row(None, case="C6", note="not run: its plan is slow"), row(3.5, boundary="periodic", type="f32"),
            row(9.0, operation="transpose", layout="middle", shape="8 rows"),
            row(99.0, shape="7 lines", size="2^20", rows=2**20)]

    def test_counts_and_worst_cells(self):
        self.assertEqual(map_tables.by_feature(self.rows)[2:], [
            "| own | 2 | 1 | 0 | 2.00 | f64, 1 line of 2^24, last axis | 0 | 0 | 1 | 99 | "
            "f64, 7 lines of 2^20, last axis |",
            "| C6 | 0 | 0 | 1 | about 77 | f64, 1 line of 2^24, last axis | 0 | 0 | 0 | - |  |",
            "| own, periodic | 0 | 0 | 1 | 3.50 | f32, 64 rows of 2^24, last axis | 0 | 0 | 0 | - |  |",
            "| own, transposed | 0 | 0 | 1 | 9.00 | f64, 8 rows of 2^24, middle axis | 0 | 0 | 0 | - |  |",
            "| all | 2 | 1 | 3 | about 77 | f64, 1 line of 2^24, last axis | 0 | 0 | 1 | 99 | "
            "f64, 7 lines of 2^20, last axis |"])

    def test_the_text_names_the_file_and_the_picture(self):
        results = {"machine": {"device": "Intel(R) Thing", "cores": 2, "cuda": None, "driver": None},
                   "date": "2026-01-01T00:00:00Z", "remark": "busy", "disturbed": 3, "rows": self.rows}
        text = "\n".join(map_tables.text([results], ["../bench/results/a.json"]))
        for word in ("(../bench/results/a.json)", "(map-cpu.png)", "busy", "1 cells", "1 more", "after 3 of"):
            self.assertIn(word, text)

    def test_columns(self):
        self.assertEqual(plot_map.columns(self.rows), [
            ("2^20", "contiguous", "7 lines"), ("2^24", "contiguous", "64 rows"),
            ("2^24", "contiguous", "1 line"),
            ("2^24", "interleaved", "64 rows"), ("2^24", "middle", "8 rows")])


if __name__ == "__main__":
    unittest.main()
