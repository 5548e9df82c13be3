#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests what follows from the results of `tridia bench derive`: SciPy's rows, verdicts, tables."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from support import TRIDIA, Case, np

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import derive_scipy  # noqa: E402
import readme_derive  # noqa: E402
import targets_cuda  # noqa: E402

LAYOUTS = ("interleaved", "middle", "contiguous")


def row(solver, ms, **fields):
    known = {"case": "C6 first derivative", "solver": solver, "parameter": None, "type": "f64",
             "n": 16, "batch": 256, "layout": "contiguous", "boundary": "regular",
             "pivoting": "none", "threads": 1, "ms": ms, "ms_min": ms, "repetitions": 3,
             "floor_ms": 0.5, "roofline_fraction": 0.5 / ms, "residual": 1e-16,
             "workspace_bytes": 0, "note": None, "error": None}
    return {**known, **fields}


def results(rows):
    return {"machine": {"device": "a processor", "cores": 2, "cuda": None, "driver": None},
            "versions": {"tridia": "0.1.0"}, "command": "tridia_bench derive",
            "date": "2026-01-01T00:00:00Z", "rows": rows}


class SciPy(Case):
    def run_script(self, name, *arguments):
        run = subprocess.run([sys.executable, "-B", BENCH / name, *arguments],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_what_it_tells_the_benchmark(self):
        self.assertRegex(self.run_script("derive_scipy.py", "versions"),
                         r"^scipy \d+\.[^\n]*\nnumpy \d+\.[^\n]*\n$")
        for solver in derive_scipy.SOLVERS:
            for axis in range(3):
                text = self.run_script("derive_scipy.py", solver, "16", str(axis), "2")
                error, *milliseconds = (float(line) for line in text.splitlines())
                self.assertLess(error, 1e-14)
                self.assertEqual(len(milliseconds), 2)
                self.assertGreater(min(milliseconds), 0)

    def test_its_rows(self):
        """Measures SciPy's rows by the benchmark, if it was built."""
        program = Path(TRIDIA).with_name("tridia_bench")
        if not program.exists():
            self.skipTest("the benchmark was not built")
        run = subprocess.run([TRIDIA, "bench", "derive", "--benchmark_list_tests"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        listed = [line for line in run.stdout.splitlines() if line.startswith("SciPy")]
        if "no Python with SciPy" in run.stderr:
            self.assertEqual(listed, [])
            return
        self.assertEqual(len(listed), len(LAYOUTS) * len(derive_scipy.SOLVERS), run.stdout)
        for layout in LAYOUTS:
            self.assertTrue(any(line.startswith(f"SciPy_dgttrs/f64/256x65536/{layout}/partial/")
                                for line in listed), run.stdout)

    def test_report(self):
        file = self.folder / "results.json"
        file.write_text(json.dumps(results([row("tridia cpu", 1.0), row("SciPy dgttrs", 9.0)])))
        self.assertIn("1 thread, against SciPy dgttrs", self.run_script("report.py", file))

    def test_the_same_derivative(self):
        f = np.random.default_rng(1).uniform(-1, 1, (12, 13, 14))
        self.save(f=f)
        for axis in range(3):
            subprocess.run([TRIDIA, "derive", self.path("f"), self.path("df"), "--axis", str(axis),
                            "--spacing", "1", "--quiet"], check=True)
            for make in derive_scipy.SOLVERS.values():
                out = derive_scipy.derive(f, axis, make(f.shape[axis]))
                np.testing.assert_allclose(out, np.load(self.path("df")), rtol=0, atol=1e-13)


class Gpu(unittest.TestCase):
    def rows(self, neato):
        gpu = {"threads": None, "n": 512}
        return ([row("copy", 0.5, case="device copy, 512^3", n=None)]
                + [row("tridia cuda", 0.6, layout=layout, **gpu) for layout in LAYOUTS]
                + [row("tridia cuda, neato", ms, parameter=how, **gpu)
                   for ms, how in zip(neato, ("memory shared", "memory global"))])

    def verdict(self, rows):
        return next(v for v in targets_cuda.judge(rows, targets_cuda.DERIVE_TARGETS)
                    if "NEATO" in v.label and "n = 512, contiguous" in v.label)

    def test_peers_count_by_their_fastest(self):
        self.assertAlmostEqual(self.verdict(self.rows((9.0, 6.0))).value, 0.1)
        self.assertTrue(self.verdict(self.rows((9.0, 6.0))).met)
        self.assertFalse(self.verdict(self.rows((9.0, 1.0))).met)
        self.assertIsNone(self.verdict(self.rows(())).value)

    def test_table(self):
        table = "\n".join(readme_derive.gpu_table(self.rows((9.0, 6.0))))
        self.assertIn("| C6 first derivative, 512^3 | 1.20 | 1.20 | 1.20 |", table)
        self.assertIn("| C6 first derivative, 512^3: NEATO | - | - | 12 |", table)
        self.assertNotIn("cuSPARSE", table)


if __name__ == "__main__":
    unittest.main()
