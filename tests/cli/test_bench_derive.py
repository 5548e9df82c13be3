#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What is made of the results of `tridia bench derive`: SciPy's rows, verdicts, tables."""

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
    def setUp(self):
        super().setUp()
        self.file = self.folder / "results.json"
        self.write([row("tridia cpu", 1.0, layout=layout) for layout in LAYOUTS])

    def write(self, rows):
        self.file.write_text(json.dumps(results(rows)))

    def run_script(self, name, *options):
        return subprocess.run([sys.executable, "-B", BENCH / name, self.file, *options],
                              capture_output=True, text=True, check=False)

    def test_rows_are_added_once(self):
        for _ in range(2):
            run = self.run_script("derive_scipy.py", "--repetitions", "2")
            self.assertEqual(run.returncode, 0, run.stderr)
            written = json.loads(self.file.read_text())
            self.assertEqual(len(written["rows"]), 3 + 3 * 2)
        self.assertIn("scipy", written["versions"])
        for r in written["rows"][3:]:
            self.assertIn("SciPy", r["solver"])
            self.assertEqual((r["n"], r["threads"], r["repetitions"]), (16, 1, 2))
            self.assertLess(r["residual"], 1e-14)
            self.assertAlmostEqual(r["roofline_fraction"], 0.5 / r["ms"])
        report = self.run_script("report.py")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertIn("1 thread, against SciPy dgttrs", report.stdout)

    def test_without_rows_to_stand_beside(self):
        self.write([row("tridia cpu", 1.0, layout="middle")])
        before = self.file.read_text()
        run = self.run_script("derive_scipy.py")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("interleaved", run.stderr)
        self.assertEqual(self.file.read_text(), before)

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
