#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests `tridia doctor`: what it finds, what it tries, and what it says where something fails."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import TRIDIA

ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "OMP_NUM_THREADS": "1"}
RANKS = Path(shutil.which(TRIDIA) or TRIDIA).with_name("tridia_doctor_ranks")


def doctor(*options, **environment):
    run = subprocess.run([TRIDIA, "doctor", "--memory", "32M", *options], capture_output=True, text=True,
                         check=False, env={**ENVIRONMENT, **environment})
    return run


def report(code, **environment):
    run = doctor("--json", **environment)
    if run.returncode != code:
        raise AssertionError(f"{run.returncode}: {run.stdout}{run.stderr}")
    return json.loads(run.stdout)


def fake_mpirun(folder, script):
    """Makes an mpirun that is found first."""
    path = Path(folder) / "mpirun"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


class Doctor(unittest.TestCase):
    def test_finds_and_tries(self):
        r = report(0)
        self.assertTrue(r["works"])
        found = r["found"]
        self.assertEqual(found["page_size_bytes"], os.sysconf("SC_PAGESIZE"))
        self.assertEqual(found["threads"], 1)
        self.assertEqual(found["simd"], json.loads(
            subprocess.check_output([TRIDIA, "info", "--json"]))["simd"])
        tried = [(c["backend"], c["what"]) for c in r["checks"]]
        for backend in ("cpu", "reference"):
            for what in ("solve", "derivative"):
                self.assertIn((backend, what), tried)
        mpi = ("mpi", "solve") in tried and ("mpi", "derivative") in tried
        self.assertEqual(mpi, RANKS.exists() and shutil.which("mpirun") is not None)
        for c in r["checks"]:
            self.assertIsNone(c["failed"])
            self.assertLessEqual(c["error"], 1e-9)
            if c["backend"] == "reference":
                self.assertIsNone(c["seconds"])
            else:
                self.assertGreater(c["roofline_fraction"], 0)
                self.assertAlmostEqual(c["roofline_fraction"], c["copy_seconds"] / c["seconds"])
        if found["processors"] > 1:
            self.assertTrue(any(m.startswith("threads: OpenMP offers 1 of") for m in r["missing"]))

    def test_page_for_people(self):
        run = doctor(PATH="/nowhere")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for words in ("what was found", "what was tried", "what is missing", "% of the roofline",
                      "All that is here works."):
            self.assertIn(words, run.stdout)
        self.assertLess(len(run.stdout.splitlines()), 60)

    def test_without_mpirun(self):
        r = report(0, PATH="/nowhere")
        self.assertIsNone(r["found"]["mpirun"])
        self.assertNotIn("mpi", [c["backend"] for c in r["checks"]])
        wanted = "openmpi-bin"
        self.assertTrue(any(wanted in sentence for sentence in r["missing"]), r["missing"])

    @unittest.skipUnless(RANKS.exists(), "this build has no MPI")
    def test_ranks_that_fail(self):
        for script, why in (
                ("echo nothing works >&2; exit 3", "ended with 3: nothing works"),
                ("exit 0", "ended with 0"),
                ("echo slow; exit 124", "took longer than 120 s: slow"),
                ('echo \'{"ranks": 2, "library": "L", "checks": [{"what": "solve", "lines": 3,'
                 ' "seconds": 1, "copy_seconds": 1, "error": 0.5}]}\'', "a result is wrong by 0.5"),
                ('echo \'{"ranks": 2, "library": "L", "checks": [{"what": "solve", "lines": 3,'
                 ' "seconds": 1, "copy_seconds": 1, "error": null}]}\'', "wrong by inf"),
                ('echo \'{"ranks": 2}\'', "library")):
            with self.subTest(script=script), tempfile.TemporaryDirectory() as folder:
                r = report(1, **fake_mpirun(folder, script))
                self.assertFalse(r["works"])
                failed = [c for c in r["checks"] if c["failed"]]
                self.assertEqual([c["backend"] for c in failed], ["mpi"])
                self.assertIn(why, failed[0]["failed"])

    def test_bad_options(self):
        for options in (["--memory", "x"], ["--nothing"]):
            run = subprocess.run([TRIDIA, "doctor", *options], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertTrue(run.stderr.startswith("tridia: "))


if __name__ == "__main__":
    unittest.main()
