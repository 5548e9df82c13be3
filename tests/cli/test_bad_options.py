#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Command lines with bad options are refused."""

import json
import subprocess
import unittest

from support import DEVICE, TRIDIA, BadInput


class Options(BadInput):
    """Tests options that are unknown, have a wrong value, or are missing."""

    def test_options(self):
        unfit_for_cr = {"cpu": ["cuda", "cpu"], "cuda": ["partial"]}[DEVICE]
        for options, words in (
            (["--pivoting", "full"], ["--pivoting", "full", "partial"]),
            (["--algorithm", "magic"], ["--algorithm", "magic", "thomas"]),
            (["--algorithm", "thomas"], ["--algorithm", "thomas", "partial"]),
            (["--algorithm", "cr"], ["--algorithm", "cr", *unfit_for_cr]),
            (["--switch-point", "-1"], ["--switch-point", "-1"]),
            (["--switch-point", "4"], ["--switch-point", "automatic"]),
            (["--packing-depth", "3"], ["--packing-depth", "3", "32"]),
            (["--transform", "sideways"], ["--transform", "sideways", "blocks"]),
            (["--transform", "full"], ["--transform", "automatic"]),
            (["--device", "tpu"], ["--device", "tpu", "cuda"]),
            (["--memory", "much"], ["--memory", "much"]),
            (["--memory", "0"], ["--memory", "0"]),
            (["--threads", "-1"], ["--threads", "-1"]),
            (["--axis", "x"], ["--axis", "x"]),
            (["--transpose", "--conjugate-transpose"], ["transpose"]),
            (["--unknown"], ["--unknown"]),
            (["extra"], ["extra"]),
        ):
            with self.subTest(options=options):
                self.refuse(*words, options=options)

    def test_missing_arguments(self):
        for command in ([], ["solve"], ["solve", "--dl", "x"], ["nonsense"]):
            run = subprocess.run([TRIDIA, *command], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertTrue(run.stderr.startswith("tridia: "))
            self.assertEqual(run.stdout, "")

    def test_cuda_where_there_is_none(self):
        info = json.loads(subprocess.check_output([TRIDIA, "info", "--json"]))
        if info["cuda_devices"]:
            self.skipTest("there is a GPU")
        self.refuse("--device", "cuda", options=["--device", "cuda"])


if __name__ == "__main__":
    unittest.main()
