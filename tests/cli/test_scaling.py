#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The tables and plots of docs/scaling.md are made from results of `tridia bench scaling`."""

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import TRIDIA, Case

BENCH = Path(__file__).resolve().parents[2] / "bench"
SCRIPT = BENCH / "scaling.py"
sys.path.append(str(BENCH / "reproduce"))
from cluster_runs import mpi_command  # noqa: E402

PROGRAM = Path(TRIDIA).with_name("tridia_bench_scaling")
BEGIN, END = "<!-- begin: bench/scaling.py -->", "<!-- end: bench/scaling.py -->"
NOTE = "pcr: the least time for 2 ranks by the model (microseconds: gather 6.6e+02, pcr 3.1e+02)"


def row(case, solver, ms, n, batch, layout, parameter=None, note=None):
    return {"case": case, "solver": solver, "parameter": parameter, "type": "f64", "n": n,
            "batch": batch, "layout": layout, "ms": ms, "note": note, "error": None}


def derivative(kind, ms, n, batch, axis, ranks, one):
    told = (f"efficiency {one / ms:.3f} of one rank's {one} ms" if kind == "weak" else
            f"{one / ms:.3f} times as fast as one rank's {one} ms")
    layout = f"axis {axis}, ranks {ranks}"
    case = f"{kind}, C6 derivative"
    return [row(case, "tridia nccl", ms, n, batch, layout, told),
            *(row(f"{case}, {step}", "tridia nccl", ms / 4, n, batch, layout)
              for step in ("reduce", "interface", "expand"))]


def solve(strategy, ms, ranks, note):
    layout = f"axis 0, ranks {ranks}"
    return [row("strong, solve", f"tridia nccl {strategy}", ms, 4096, 65536, layout,
                "2 times as fast as one rank's 5.2 ms", note),
            row("strong, solve, interface", f"tridia nccl {strategy}", 0.05, 4096, 65536, layout)]


def two():
    points = 512 * 512
    return [*derivative("weak", 0.6, 1024, points, 0, (2, 1, 1), 0.57),
            *derivative("weak", 0.57, 512, 2 * points, 2, (2, 1, 1), 0.57),
            *derivative("strong", 0.3, 512, points, 2, (1, 1, 2), 0.57),
            *solve("automatic", 2.3, (2, 1, 1), NOTE), *solve("gather", 2.5, (2, 1, 1), "asked for")]


def four():
    return [*derivative("strong", 0.19, 512, 512 * 512, 2, (2, 1, 2), 0.57),
            *solve("automatic", 1.2, (4, 1, 1), "allgather: all of it")]


class Scaling(Case):
    def run_script(self, page, *rows):
        (self.folder / "docs").mkdir(exist_ok=True)
        (self.folder / "docs" / "scaling.md").write_text(page)
        files = []
        for k, some in enumerate(rows):
            files.append(self.folder / f"{k}.json")
            files[-1].write_text(json.dumps({
                "machine": {"device": "a GPU", "driver": "1", "cuda": "2"}, "date": "2026-01-01T",
                "rows": some}))
        run = subprocess.run([sys.executable, "-B", SCRIPT, *files, "--root", self.folder],
                             capture_output=True, text=True, check=False)
        return run, (self.folder / "docs" / "scaling.md").read_text()

    def test_tables_and_plots(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        run, page = self.run_script(f"before\n{BEGIN}\nold\n{END}\nafter\n", two(), four())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(page.startswith(f"before\n{BEGIN}\n") and page.endswith(f"{END}\nafter\n"))
        self.assertNotIn("old", page)
        self.assertIn("512^3 a GPU: efficiency | >= 0.95 | 0.950 | yes |", page)
        self.assertIn("not split, 512^3 a GPU: efficiency | >= 0.99 | 1.000 | yes |", page)
        self.assertIn("the same, 256^3 in all | >= 1.5 | - | - |", page)
        self.assertIn("65536 lines, two GPUs, ms | <= 2.2 | 2.300 | **no** |", page)
        # Each run has its own part, with one GPU of that run.
        self.assertRegex(page, r"### 2 GPUs, 2026-01-01\n\n.*\n\n\| case \| one GPU \| \(2, 1, 1\) \| "
                               r"\(1, 1, 2\) \|\n")
        self.assertRegex(page, r"### 4 GPUs, 2026-01-01\n\n.*\n\n\| case \| one GPU \| \(2, 1, 2\) \|\n")
        # The model gives 0.511 ms for the points on one GPU, and 57 us more if lines cross two.
        self.assertIn("| weak, 512^3 a GPU, axis 0 | 0.570 | 0.600 (0.95; 0.89) | - |", page)
        self.assertIn("| weak, 512^3 a GPU, axis 2 | 0.570 | 0.570 (1.00; 1.00) | - |", page)
        self.assertIn("| strong, 512^3, axis 2 | 0.570 | - | 0.300 (1.90; 1.61) |", page)
        self.assertIn("| strong, 512^3, axis 2 | 0.570 | 0.190 (3.00; 3.06) |", page)
        # The model gives 9 words of 4096 x 32 768 rows at 4.2 TB/s, and 0.31 ms.
        self.assertIn("| 4096 rows, 65536 lines, (2, 1, 1) | 5.200 | 2.300 | 2.500 | 2.611 | 6.05 | "
                      "3.91 |", page)
        self.assertIn("(4, 1, 1) | 5.200 | 1.200 | - | 3.14 | - |", page)
        self.assertIn("| 4096 rows, 65536 lines, (2, 1, 1) | 0.050 (0.660) |", page)
        self.assertNotIn("no gain of scaling", page)
        for name in ("scaling.png", "scaling-steps.png"):
            self.assertGreater((self.folder / "docs" / name).stat().st_size, 10000)

    def test_a_slow_baseline_is_told(self):
        """Where one GPU was slower than in another run, a gain of more than the GPUs is none."""
        slow = derivative("strong", 0.2, 512, 512 * 512, 2, (1, 1, 2), 0.8)
        run, page = self.run_script(f"{BEGIN}\n{END}\n", slow, two())
        if "matplotlib" in run.stderr:
            self.skipTest(run.stderr)
        self.assertIn("512^3 along axis 2, (1, 1, 2): 4.00 is no gain of scaling: one GPU took 0.80 ms in "
                      "this run and 0.57 in that of 2 GPUs, 2026-01-01, against which it is 2.85.", page)

    def test_a_page_without_its_place(self):
        run, page = self.run_script(f"{BEGIN}\n", two())
        self.assertEqual(run.returncode, 2)
        self.assertIn("does not have one line", run.stderr)
        self.assertEqual(page, f"{BEGIN}\n")


@unittest.skipUnless(PROGRAM.exists() and shutil.which("mpirun"), "needs tridia_bench_scaling, mpirun")
class Thesis(Case):
    """Tests the suite of `tridia reproduce cluster` on CPU ranks."""

    STEPS = ("halo", "right-hand sides", "primary", "faces", "reduced", "sum")

    def run_suite(self, ranks, *options):
        path = self.folder / "scaling.json"
        run = subprocess.run([*mpi_command("mpirun", ranks), PROGRAM, "--suite", "thesis", "--points",
                              "8", "--repetitions", "1", "--alone", "no", "--scheme", "C4", "--json", path,
                              *options], capture_output=True, text=True, check=False)
        return run, json.loads(path.read_text())["rows"] if path.exists() else []

    def test_the_thesis_method_is_measured_beside_automatic(self):
        run, rows = self.run_suite(2)
        self.assertEqual(run.returncode, 0, run.stderr)
        whole = [r for r in rows if r["case"].endswith(" derivative")]
        cases = [{(r["case"], r["n"], r["layout"]) for r in whole if r["solver"] == solver}
                 for solver in ("tridia mpi", "tridia mpi gather")]
        self.assertEqual(cases[0], cases[1])
        self.assertEqual({r["solver"] for r in rows}, {"tridia mpi", "tridia mpi gather"})
        for r in whole:
            parts = {s["case"].rpartition(", ")[2]: s["ms"] for s in rows
                     if s["case"].startswith(r["case"] + ", ")
                     and all(s[k] == r[k] for k in ("solver", "n", "layout"))}
            self.assertEqual(set(parts), {"reduce", "interface", "expand", *self.STEPS})
            missing = () if r["solver"].endswith("gather") else ("right-hand sides", "faces", "reduced", "sum")
            for step in self.STEPS:
                (self.assertEqual if step in missing else self.assertGreater)(parts[step], 0, step)

    def test_one_rank_has_no_method(self):
        run, rows = self.run_suite(1)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual({r["solver"] for r in rows}, {"tridia mpi"})
        self.assertFalse([r for r in rows if r["case"].endswith(", primary")])

    def test_one_method_alone(self):
        _, rows = self.run_suite(2, "--strategy", "gather")
        self.assertEqual({r["solver"] for r in rows}, {"tridia mpi gather"})
        run, rows = self.run_suite(1, "--strategy", "pcr")
        self.assertEqual(run.returncode, 2)
        for word in ("--strategy", "pcr", "thesis", "gather"):
            self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()
