#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests what `tridia` prints: reports, progress, help."""

import json
import os
import pty
import select
import subprocess
import unittest

from support import DEVICE, TRIDIA, Case


class Reports(Case):
    def test_json_fields(self):
        *_, rhs = self.systems((5, 7))
        report = self.solve()
        self.assertEqual(report["shape"], [5, 7])
        self.assertEqual(report["axis"], 1)
        self.assertEqual(report["type"], "f64")
        self.assertEqual(report["right_hand_sides"], 1)
        self.assertEqual(report["slabs"], 1)
        self.assertEqual(report["device"], DEVICE)
        self.assertEqual(report["pivoting"], "partial")
        self.assertEqual(report["operation"], "none")
        self.assertEqual(report["boundary"], "regular")
        self.assertEqual(report["bytes_moved"], 5 * rhs.nbytes)
        self.assertEqual(report["failed_systems"], 0)
        self.assertIsNone(report["first_failed"])
        self.assertTrue(report["reason"])
        self.assertGreaterEqual(report["total_seconds"], report["solve_seconds"])
        self.assertRegex(report["version"], r"^\d+\.\d+\.\d+$")

    def test_text_and_quiet(self):
        self.systems((5, 7))
        run = self.run_tridia()
        self.assertEqual(run.returncode, 0)
        for word in ("systems", "5 of 7 rows", "algorithm", f" on {DEVICE} ", "time", "residual",
                     "written"):
            self.assertIn(word, run.stdout)
        self.assertEqual(run.stderr, "")
        run = self.run_tridia("--quiet")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def on_terminal(self, command):
        """Returns what a command shows if only stderr is a terminal."""
        try:
            ours, theirs = pty.openpty()
        except OSError as reason:  # as in a chroot without /dev/pts
            self.skipTest(f"no terminal can be had: {reason}")
        with subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.DEVNULL, stderr=theirs
        ) as process:
            os.close(theirs)
            text = b""
            while select.select([ours], [], [], 60)[0]:
                try:
                    text += os.read(ours, 65536)
                except OSError:
                    break
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        return text

    def test_progress_on_a_terminal(self):
        *_, rhs = self.systems((50, 7))
        self.save(f=rhs)
        derive = [TRIDIA, "derive", self.path("f"), self.path("df"), "--axis", 0, "--spacing", 1]
        for command in (self.arguments("--memory", 1), [*derive, "--memory", 1]):
            with self.subTest(command=command):
                self.assertIn(b"slabs", self.on_terminal(command))
                self.assertEqual(self.on_terminal([*command, "--quiet"]), b"")
                self.assertEqual(self.on_terminal([*command, "--json"]), b"")

    def test_no_progress_elsewhere(self):
        self.systems((50, 7))
        self.assertEqual(self.run_tridia("--memory", 1).stderr, "")

    def test_info(self):
        text = subprocess.run([TRIDIA, "info"], capture_output=True, text=True, check=True).stdout
        report = json.loads(subprocess.check_output([TRIDIA, "info", "--json"]))
        self.assertIn("cpu", report["backends"])
        self.assertGreaterEqual(report["threads"], 1)
        self.assertIn(report["simd"], text)
        self.assertIsInstance(report["cuda_devices"], list)

    def test_help_and_version(self):
        for options in (["--help"], ["solve", "--help"], ["info", "--help"], ["--version"]):
            run = subprocess.run([TRIDIA, *options], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0)
            self.assertIn("tridia" if options[0] == "--version" else "--help", run.stdout)


if __name__ == "__main__":
    unittest.main()
