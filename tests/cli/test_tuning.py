#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests `tridia tune`, and `tridia solve --tuning`."""

import json
import subprocess
import unittest

from support import DEVICE, TRIDIA, BadInput, Case, expected


def gpus():
    return json.loads(subprocess.check_output([TRIDIA, "info", "--json"]))["cuda_devices"]


def tune(*options):
    return subprocess.run([TRIDIA, "tune", *options], capture_output=True, text=True, check=False)


class Files(BadInput):
    """Tests tables that are refused."""

    def test_missing(self):
        self.refuse("--tuning", "nowhere.txt", options=["--tuning", "nowhere.txt"])

    def test_broken(self):
        for text, words in (
            ("", ["tridia-tuning 2"]),
            ("tridia-tuning 2\n9.0 onchip f64 none\n", ["line 2", "layout"]),
            ("tridia-tuning 2\n9.0 onchip f64 none interleaved 8 warps=x\n", ["line 2", "x"]),
        ):
            with self.subTest(text=text):
                table = self.folder / "table.txt"
                table.write_text(text)
                self.before = self.names()
                self.refuse("--tuning", str(table), *words, options=["--tuning", str(table)])


class Solve(Case):
    """A table changes how fast, not what."""

    def test_table(self):
        table = self.folder / "table.txt"
        table.write_text("tridia-tuning 2\n9.0 onchip f64 partial contiguous 64 chunk_rows=5\n")
        arrays = self.systems((300, 64))
        self.solve("--tuning", table)
        self.check_out(expected(*arrays))


class Tune(Case):
    """Tests the command."""

    def test_bad_options(self):
        for options in (["--device", "cpu"], ["--seconds", "0"], ["--type", "f16"], ["extra"]):
            with self.subTest(options=options):
                run = tune(*options)
                self.assertEqual(run.returncode, 2)
                self.assertTrue(run.stderr.startswith("tridia: "))

    def test_without_a_gpu(self):
        if gpus():
            self.skipTest("there is a GPU")
        run = tune("--out", str(self.folder / "table.txt"))
        self.assertEqual(run.returncode, 2)
        for word in ("--device", "GPU", "reference", "switch points"):
            self.assertIn(word, run.stderr)
        self.assertEqual(self.names(), [])

    @unittest.skipUnless(DEVICE == "cuda", "needs a GPU")
    def test_with_a_gpu(self):
        table = self.folder / "table.txt"
        run = tune("--out", str(table), "--seconds", "6", "--type", "f64")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("tridia-tuning 2\n", table.read_text())
        arrays = self.systems((300, 64))
        self.solve("--tuning", table)
        self.check_out(expected(*arrays))
        for algorithm in ("crnbc", "cr_pcr", "pcr_thomas", "packed_cr", "hierarchical"):
            self.assertIn(f" {algorithm} f64 none contiguous 8", table.read_text())


if __name__ == "__main__":
    unittest.main()
