#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests tridia scheme: coefficients, orders, modified wavenumbers, plots."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from support import TRIDIA, Case, np


class Scheme(Case):
    def run_scheme(self, *options, **environment):
        return subprocess.run(
            [TRIDIA, "scheme", *(str(o) for o in options)],
            capture_output=True, text=True, check=False, env={**os.environ, **environment},
        )

    def schemes(self, *options):
        run = self.run_scheme(*options, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)["schemes"]

    def test_lists_all(self):
        for options in ([], ["--list"]):
            run = self.run_scheme(*options)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(len(run.stdout.splitlines()), 26)
        self.assertEqual(len(self.schemes()), 26)
        self.assertEqual([s["name"] for s in self.schemes("--of", "filter")],
                         ["F2", "F4", "F6", "F8", "F10"])

    def test_text_has_fractions(self):
        run = self.run_scheme("C6", "--of", "first_derivative")
        for word in ("order 6", "1/3 1 1/3", "7/9", "1/36", "3-4-6-4-3", "3|4|5|6"):
            self.assertIn(word, run.stdout)

    def test_json_has_lele_s_wavenumber(self):
        (s, *_) = self.schemes("C6", "--of", "first_derivative")
        w, seen, imaginary = np.array(s["modified_wavenumber"]).T
        exact = (14 / 9 * np.sin(w) + np.sin(2 * w) / 18) / (1 + 2 / 3 * np.cos(w))
        self.assertLess(np.abs(seen - exact).max(), 1e-14)
        self.assertLess(np.abs(imaginary).max(), 1e-14)
        self.assertEqual(s["order"], 6)
        self.assertEqual([row["order"] for row in s["head"]], [3, 4])

    def test_third_and_fourth_derivatives_have_lele_s_wavenumber(self):
        for quantity, formula in (
            ("third_derivative",
             lambda w: (4 * np.sin(w) - 2 * np.sin(2 * w) - (3 * np.sin(w) - np.sin(3 * w)) / 32)
             / (1 + 7 / 8 * np.cos(w))),
            ("fourth_derivative",
             lambda w: (19 / 13 * (2 * np.cos(2 * w) - 8 * np.cos(w) + 6)
                        + (np.cos(3 * w) - 9 * np.cos(w) + 8) / 39) / (1 + 7 / 13 * np.cos(w))),
        ):
            (s,) = self.schemes("C6", "--of", quantity)
            w, seen, imaginary = np.array(s["modified_wavenumber"]).T
            self.assertLess(np.abs(seen - formula(w)).max(), 1e-13)
            self.assertLess(np.abs(imaginary).max(), 1e-13)
            self.assertEqual([row["order"] for row in s["head"]], [3, 4, 4])

    def test_explicit_schemes_stand_beside(self):
        run = self.run_scheme("C6", "--json")
        explicit = json.loads(run.stdout)["explicit"]
        self.assertEqual([(s["name"], s["quantity"], s["order"]) for s in explicit],
                         [(f"E{n}", q, n) for q in ("first_derivative", "second_derivative",
                                                       "third_derivative", "fourth_derivative")
                          for n in (2, 4, 6)])
        for s, exact in zip(explicit, (
                np.sin, lambda w: (8 * np.sin(w) - np.sin(2 * w)) / 6,
                lambda w: (45 * np.sin(w) - 9 * np.sin(2 * w) + np.sin(3 * w)) / 30,
                lambda w: 2 - 2 * np.cos(w), lambda w: (15 - 16 * np.cos(w) + np.cos(2 * w)) / 6,
                lambda w: 49 / 18 - 3 * np.cos(w) + 0.3 * np.cos(2 * w) - np.cos(3 * w) / 45,
                lambda w: 2 * np.sin(w) - np.sin(2 * w),
                lambda w: (13 * np.sin(w) - 8 * np.sin(2 * w) + np.sin(3 * w)) / 4,
                lambda w: (488 * np.sin(w) - 338 * np.sin(2 * w) + 72 * np.sin(3 * w)
                           - 7 * np.sin(4 * w)) / 120,
                lambda w: 6 - 8 * np.cos(w) + 2 * np.cos(2 * w),
                lambda w: (28 - 39 * np.cos(w) + 12 * np.cos(2 * w) - np.cos(3 * w)) / 3,
                lambda w: (1365 - 1952 * np.cos(w) + 676 * np.cos(2 * w) - 96 * np.cos(3 * w)
                           + 7 * np.cos(4 * w)) / 120)):
            w, seen, imaginary = np.array(s["modified_wavenumber"]).T
            self.assertLess(np.abs(seen - exact(w)).max(), 1e-13, s["name"])
            self.assertLess(np.abs(imaginary).max(), 1e-14)
        self.assertEqual(json.loads(self.run_scheme("F8", "--json").stdout)["explicit"], [])

    def test_the_docs_say_how_far_schemes_resolve(self):
        """The wavenumbers of docs/compact.md are those at which the error reaches 1 %."""
        page = (Path(__file__).resolve().parents[2] / "docs/compact.md").read_text(encoding="utf-8")
        told = re.search(r"to w = ([\d.]+), ([\d.]+) and ([\d.]+) radians a cell, the explicit .* to ([\d.]+), "
                         r"([\d.]+) and ([\d.]+)\.", page)
        self.check_resolution("first_derivative", 1, told.groups())
        told = re.search(r"A third derivative .* by C6 to w = ([\d.]+) \(explicit ([\d.]+), ([\d.]+), "
                         r"([\d.]+)\), a fourth by C4\nand C6 to ([\d.]+) and ([\d.]+) \(([\d.]+), "
                         r"([\d.]+), ([\d.]+)\)", page)
        self.check_resolution("third_derivative", 3, told.groups()[:4])
        self.check_resolution("fourth_derivative", 4, told.groups()[4:])

    def check_resolution(self, quantity, order, told):
        report = json.loads(self.run_scheme("--of", quantity, "--json").stdout)
        schemes = [s for s in report["schemes"] if s["staggering"] == "none"] + report["explicit"]
        self.assertEqual(len(schemes), len(told))
        for value, s in zip(map(float, told), schemes):
            w, seen, _ = np.array(s["modified_wavenumber"]).T[:, 1:]
            error = np.abs(seen / w**order - 1)
            k = np.argmax(error > 0.01)
            found = np.interp(np.log(0.01), np.log(error[k - 1:k + 1]), w[k - 1:k + 1])
            self.assertAlmostEqual(found, value, delta=0.02, msg=s["name"])

    def test_alpha(self):
        (s,) = self.schemes("F8", "--alpha", "0.3")
        self.assertEqual(s["interior"]["sup"], 0.3)

    def test_plot(self):
        run = self.run_scheme("C6", "--plot", self.folder / "w.png")
        if "python3-matplotlib" in run.stderr:
            self.assertEqual(run.returncode, 2)
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue((self.folder / "w.png").read_bytes().startswith(b"\x89PNG"))
        run = self.run_scheme("C6", "--plot", self.folder / "none" / "w.png")
        self.assertEqual(run.returncode, 2)
        self.assertIn("No such file", run.stderr)
        self.assertEqual(self.names(), ["w.png"])

    def test_plot_without_matplotlib(self):
        (self.folder / "matplotlib.py").write_text("raise ModuleNotFoundError\n")
        run = self.run_scheme("C6", "--plot", self.folder / "w.png", PYTHONPATH=str(self.folder),
                              PYTHONDONTWRITEBYTECODE="1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("python3-matplotlib", run.stderr)
        self.assertEqual(self.names(), ["matplotlib.py"])

    def test_bad_input(self):
        for options, words in (
            (["C5"], ["C5", "C4", "F10"]),
            (["F4", "--of", "interpolation"], ["F4", "C4, C6, C8"]),
            (["C6", "--of", "integral"], ["--of", "integral"]),
            (["F4", "--alpha", "0.7"], ["--alpha", "0.7"]),
            (["C6", "--list"], ["--list"]),
        ):
            run = self.run_scheme(*options)
            self.assertEqual(run.returncode, 2, run.stdout)
            for word in words:
                self.assertIn(word, run.stderr)


if __name__ == "__main__":
    unittest.main()
