# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests scripts/gpu-check from its command line to the record, with programs that are scripts."""

import contextlib
import io
import time
import unittest

from fakes import CONFORMANCE, UNIT, Fakes
from tool import command, record


class Quiet(Fakes):
    """Keeps what is printed."""

    def setUp(self):
        super().setUp()
        self.printed = io.StringIO()
        for redirect in (contextlib.redirect_stdout, contextlib.redirect_stderr):
            quiet = redirect(self.printed)
            quiet.__enter__()
            self.addCleanup(quiet.__exit__, None, None, None)

    @property
    def output(self):
        return self.printed.getvalue()


class OneGpu(Quiet):
    def test_what_passes_is_recorded(self):
        code, entries = self.check()
        self.assertEqual(code, 0, self.output)
        self.assertNotIn("distributed", entries)
        for name, entry in entries.items():
            self.assertEqual(entry["verdict"], record.PASSED, name)
            self.assertEqual((entry["card"], entry["driver"], entry["cuda"], entry["gpus"]),
                             ("NVIDIA H200", "580.1", "13.0", 1))
        # Two of the unit tests need no GPU. partition has status, accuracy, property, one variant
        # of the conformance suite, and two small cases.
        self.assertEqual(entries["partition"]["suites"], {"passed": 6, "failed": 0, "skipped": 0})
        self.assertEqual(entries["scans"]["suites"], {"passed": 3, "failed": 0, "skipped": 1})
        self.assertEqual(entries["command line"]["suites"],
                         {"passed": 2, "failed": 0, "skipped": 1})
        self.assertEqual(entries["python"]["suites"], {"passed": 2, "failed": 0, "skipped": 1})
        # One of its two small cases has a type that racecheck leaves out.
        for tool, passed in (("memcheck", 2), ("racecheck", 1)):
            self.assertEqual(entries["compact"]["sanitizer"][tool],
                             {"passed": passed, "failed": 0, "errors": 0})
        # Older cards are asked about one type.
        self.assertEqual(entries["named"]["compute_80"], {"passed": 1, "failed": 0})
        self.assertEqual(entries["partition"]["compute_80"], {"passed": 2, "failed": 0})
        self.assertEqual(entries["named"]["kernels"], 5)
        self.assertNotIn("sanitizer", entries["command line"])

    def test_a_family_alone_leaves_the_others(self):
        self.check()
        before = record.load(self.root / "tests/gpu_record.json")
        time.sleep(1.1)
        code, entries = self.check("--family", "named")
        self.assertEqual(code, 0, self.output)
        self.assertNotEqual(entries["named"]["date"], before["named"]["date"])
        del entries["named"], before["named"]
        self.assertEqual(entries, before)

    def test_the_readme_and_the_log_tell(self):
        self.check()
        readme = (self.root / "README.md").read_text()
        self.assertIn("| partition method | NVIDIA H200, driver 580.1, CUDA 13.0, ", readme)
        self.assertIn("| distributed fields | - | - | - | - | **not run**: ", readme)
        self.assertTrue(readme.endswith("\n\nThe end.\n"))
        log = (self.logs / "gpu-check.log").read_text()
        self.assertIn("tridia_unit_test --gtest_brief=1", log)
        self.assertEqual(record.load(self.logs / "gpu_record.json"),
                         record.load(self.root / "tests/gpu_record.json"))

    def test_a_failure_is_of_its_family(self):
        self.program("tridia_unit_test", {**UNIT, "All/FactoredScanCuda.Solves/f64": "failed"})
        code, entries = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(entries["factored"]["verdict"], record.FAILED)
        self.assertEqual(entries["factored"]["complaints"], ["suites: All/FactoredScanCuda.Solves/f64"])
        self.assertEqual(entries["scans"]["verdict"], record.PASSED)
        self.assertIn("what is wrong in All/FactoredScanCuda.Solves/f64", self.output[-12000:])
        self.assertEqual(self.verify(), 1)

    def test_a_test_of_python_that_fails_is_of_its_family(self):
        self.pytest(1, "<failure/>")
        code, entries = self.check()
        self.assertEqual(code, 1)
        self.assertEqual(entries["python"]["complaints"], ["python: test_one.py two"])
        self.assertEqual(entries["partition"]["verdict"], record.PASSED)

    def test_a_test_of_python_that_crashes_is_lost(self):
        self.pytest(-6)
        _, entries = self.check("--family", "python")
        self.assertEqual(entries["python"]["verdict"], record.FAILED)

    def test_a_package_that_is_not_built_stays_as_recorded(self):
        (self.root / "build/cuda/python/tridia/_native.so").unlink()
        code, entries = self.check()
        self.assertEqual(code, 0, self.output)
        self.assertNotIn("python", entries)
        self.assertEqual(self.check("--family", "python")[0], 2)

    def log_of(self, step):
        """Returns what the log says of the jobs of a step."""
        parts = (self.logs / "gpu-check.log").read_text().split("\n==== ")
        return [part for part in parts if part.startswith(f"{step}: ")]

    def test_programs_share_the_gpu(self):
        self.check()
        started, ended = (self.tools / "service.log").read_text().splitlines()
        folder = started.split()[0]
        self.assertEqual((started, ended), (f"{folder} -d ", f"{folder}  quit -t 10"))
        for step in ("suites", "memcheck", "racecheck", "compute_80"):
            self.assertTrue(self.log_of(step))
            for job in self.log_of(step):
                self.assertIn(f"CUDA_MPS_PIPE_DIRECTORY={folder} ", job)
        for job in self.log_of("command line"):
            self.assertNotIn("CUDA_MPS", job)

    def test_programs_take_turns_where_nothing_lets_them_share(self):
        self.executable(self.tools / "nvidia-cuda-mps-control", "#!/bin/bash\nexit 1\n")
        code, _ = self.check("--family", "scans")
        self.assertEqual(code, 0, self.output)
        self.assertNotIn("CUDA_MPS", (self.logs / "gpu-check.log").read_text())
        self.assertIn("programs take turns on the GPU", self.output)

    def test_a_crash_fails_what_it_took_along(self):
        self.program("tridia_unit_test", {**UNIT, "CompactCuda.IsCapturedInAGraph": "crash"})
        code, entries = self.check("--family", "compact")
        self.assertEqual(code, 1)
        self.assertEqual(entries["compact"]["suites"]["failed"], 1)
        self.assertIn("lost: CompactCuda.IsCapturedInAGraph", self.output)

    def test_a_suite_in_which_nothing_ran_fails(self):
        skipped = {t: "skipped" for t in UNIT if "Scan" in t}
        self.program("tridia_unit_test", {**UNIT, **skipped})
        self.program("tridia_conformance_test",
                     {t: "skipped" if "Factored" in t else r for t, r in CONFORMANCE.items()})
        code, entries = self.check("--family", "factored")
        self.assertEqual(code, 1)
        self.assertEqual(entries["factored"]["verdict"], record.FAILED)
        self.assertEqual(self.verify(), 1)
        self.assertIn("factored: no test has passed", self.output)

    def test_what_a_sanitizer_finds_fails(self):
        self.errors("racecheck", 3)
        code, entries = self.check("--family", "scans")
        self.assertEqual(code, 1)
        self.assertEqual(entries["scans"]["verdict"], record.FAILED)
        self.assertEqual(entries["scans"]["sanitizer"]["racecheck"]["errors"], 3)
        self.assertEqual(entries["scans"]["sanitizer"]["memcheck"]["errors"], 0)

    def test_a_sanitizer_without_a_summary_fails(self):
        self.errors("memcheck", "none")
        code, entries = self.check("--family", "scans")
        self.assertEqual(code, 1)
        self.assertIn("came to no summary", entries["scans"]["complaints"][0])
        self.assertIn("Device not supported", self.output)

    def test_a_missing_sanitizer_fails(self):
        (self.tools / "compute-sanitizer").unlink()
        code, entries = self.check("--family", "scans")
        self.assertEqual(code, 1)
        self.assertEqual(entries["scans"]["verdict"], record.FAILED)

    def test_without_compute_80_a_record_is_incomplete(self):
        (self.root / "build/cuda-ptx80/bin/tridia_conformance_test").unlink()
        code, entries = self.check("--family", "scans")
        self.assertEqual(code, 0, self.output)
        self.assertEqual(entries["scans"]["verdict"], record.INCOMPLETE)
        self.assertIn("there is no build/cuda-ptx80/bin", entries["scans"]["compute_80"]["reason"])

    def test_older_sources_are_not_recorded_as_these(self):
        self.stamp("cuda-ptx80", scans="an older one")
        _, entries = self.check("--family", "scans")
        self.assertEqual(entries["scans"]["verdict"], record.INCOMPLETE)
        self.stamp("cuda", scans="an older one")
        code, _ = self.check("--family", "scans")
        self.assertEqual(code, 2)
        self.assertIn("built from other sources (scans)", self.output)
        code, entries = self.check("--family", "named")
        self.assertEqual((code, entries["named"]["verdict"]), (0, record.PASSED))

    def test_code_for_newer_cards_says_nothing_of_older_ones(self):
        self.program("tridia_conformance_test", CONFORMANCE, "cuda-ptx80",
                     "kernels for compute capability 9.0")
        code, entries = self.check("--family", "scans")
        self.assertEqual((code, entries["scans"]["verdict"]), (1, record.FAILED))

    def test_quick_records_nothing(self):
        code, entries = self.check("--quick")
        self.assertEqual((code, entries), (0, {}), self.output)
        self.assertNotIn("racecheck", (self.logs / "gpu-check.log").read_text())
        self.program("tridia_conformance_test", {t: "failed" for t in CONFORMANCE})
        self.assertEqual(self.check("--quick")[0], 1)

    def test_several_gpus_are_not_made_up(self):
        code, entries = self.check("--family", "distributed")
        self.assertEqual((code, entries), (2, {}))
        self.assertIn("takes 2 GPUs", self.output)

    def test_no_gpu_is_an_error(self):
        self.executable(self.tools / "nvidia-smi", "#!/bin/bash\nexit 9\n")
        self.assertEqual(self.check(), (1, {}))

    def test_a_program_that_is_missing_is_named(self):
        (self.root / "build/cuda/bin/tridia_property_test").unlink()
        self.assertEqual(self.check(), (2, {}))
        self.assertIn("tridia_property_test", self.output)

    def test_what_takes_too_long_is_stopped(self):
        self.write("tests/cli/test_slow.py", "import time\ntime.sleep(60)\n")
        began = time.monotonic()
        code, entries = self.check("--family", "command line", "--stop-after", "3")
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual((code, entries["command line"]["verdict"]), (1, record.FAILED))
        self.assertIn("stopped after", self.output)

    def test_failures_of_the_command_line_are_named(self):
        self.write("tests/cli/test_two.py", "import sys\nprint('FAIL: test_b (x.B.test_b)\\nRan 2 "
                   "tests in 1s\\n\\nFAILED (failures=1)', file=sys.stderr)\nsys.exit(1)\n")
        code, entries = self.check("--family", "command line")
        self.assertEqual(code, 1)
        self.assertEqual(entries["command line"]["suites"],
                         {"passed": 3, "failed": 1, "skipped": 1})
        self.assertIn("test_two.py test_b (x.B.test_b)", entries["command line"]["complaints"][0])


class TwoGpus(Quiet):
    gpus = 2

    def test_ranks_are_asked_as_well(self):
        code, entries = self.check()
        self.assertEqual(code, 0, self.output)
        entry = entries["distributed"]
        self.assertEqual((entry["verdict"], entry["gpus"]), (record.PASSED, 2))
        # These are two small cases, GPUs of a process, the suite of ranks, and the rank that is
        # lost.
        self.assertEqual(entry["suites"], {"passed": 5, "failed": 0, "skipped": 0})

    def test_jobs_see_one_gpu_and_ranks_all(self):
        self.check()
        log = (self.logs / "gpu-check.log").read_text()
        ranks = log.index("==== several GPUs")
        for gpu in range(2):
            self.assertIn(f"CUDA_VISIBLE_DEVICES={gpu} ", log[:ranks])
        self.assertNotIn("CUDA_VISIBLE_DEVICES", log[ranks:])

    def test_a_rank_that_fails_is_enough(self):
        self.program("tridia_mpi_test", {"Ranks.Solve": "failed"})
        code, entries = self.check("--family", "distributed")
        self.assertEqual((code, entries["distributed"]["suites"]["failed"]), (1, 1))

    def test_ranks_that_are_not_told_of_a_lost_one_fail(self):
        self.write("build/cuda/bin/tridia_mpi_lost_rank", "#!/bin/bash\necho not told\n")
        code, entries = self.check("--family", "distributed")
        self.assertEqual((code, entries["distributed"]["suites"]["failed"]), (1, 1))


class Verify(Quiet):
    def test_a_record_of_these_sources_is_good(self):
        self.check()
        command.main(["--root", str(self.root), "--not-run", "one GPU", "--family", "distributed"])
        self.assertEqual(self.verify(), 0, self.output)
        self.assertIn("!!!!! distributed: NOT RUN ON A GPU: one GPU !!!!!", self.output)

    def test_a_reason_is_for_exactly_these_sources(self):
        command.main(["--root", str(self.root), "--not-run", "later"])
        self.assertEqual(self.verify(), 0, self.output)
        path = self.root / "tests/gpu_record.json"
        entries = record.load(path)
        entries["scans"]["digest"] = "of other sources"
        record.store(path, entries)
        self.assertEqual(self.verify(), 1)
        self.assertIn("scans: its sources have changed", self.output)

    def test_a_reason_is_not_blank(self):
        self.assertEqual(command.main(["--root", str(self.root), "--not-run", " "]), 2)

    def test_the_readme_shows_the_record(self):
        command.main(["--root", str(self.root), "--not-run", "later"])
        readme = self.root / "README.md"
        readme.write_text(readme.read_text().replace("later", "now"))
        self.assertEqual(self.verify(), 1)
        self.assertIn("README.md does not show the record", self.output)
        command.main(["--root", str(self.root), "--readme"])
        self.assertEqual(self.verify(), 0)

    def test_no_record_is_an_error(self):
        self.assertEqual(self.verify(), 1)
        self.assertIn("partition: there is no entry", self.output)


if __name__ == "__main__":
    unittest.main()
