#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""`tridia bench` runs the benchmarks that lie beside it."""

import shutil
import subprocess
import unittest
from pathlib import Path

from support import TRIDIA, Case


class Bench(Case):
    """Tests a copy of the executable in an empty folder."""

    def setUp(self):
        super().setUp()
        self.tridia = shutil.copy(TRIDIA, self.folder / "tridia")

    def run_bench(self, *arguments):
        return subprocess.run([self.tridia, "bench", *arguments], capture_output=True, text=True,
                              check=False)

    def test_absent(self):
        run = self.run_bench("solve")
        self.assertEqual(run.returncode, 2)
        self.assertIn("TRIDIA_BUILD_BENCHMARKS", run.stderr)
        self.assertIn(str(self.folder / "tridia_bench"), run.stderr)
        self.assertEqual(run.stdout, "")

    def test_present(self):
        program = Path(self.folder / "tridia_bench")
        program.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
        program.chmod(0o755)
        for what in ("solve", "derive"):
            run = self.run_bench(what, "--device", "cuda", "--json", "f", "--help")
            self.assertEqual(run.returncode, 7)
            self.assertEqual(run.stdout, f"{what} --device cuda --json f --help\n")

    def test_scaling_is_a_program_of_its_own(self):
        run = self.run_bench("scaling")
        self.assertEqual(run.returncode, 2)
        self.assertIn(str(self.folder / "tridia_bench_scaling"), run.stderr)
        self.assertIn("MPI", run.stderr)
        program = Path(self.folder / "tridia_bench_scaling")
        program.write_text('#!/bin/sh\necho "$@"\n')
        program.chmod(0o755)
        self.assertEqual(self.run_bench("scaling", "--points", "9").stdout, "--points 9\n")


if __name__ == "__main__":
    unittest.main()
