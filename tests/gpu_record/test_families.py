# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Every test asks about one family, and every kernel has a small case for compute-sanitizer."""

import re
import unittest

from tool import ROOT, families, gtest, lexer, record, steps

LISTED = """TRIDIA_TEST_SEED=1 repeats this run.
Without the CUDA cases: no GPU is visible.
Chunk.
  SolvesWithPivoting
  DISABLED_Slowly
All/Status.
  NotANumber/cuda_f64  # GetParam() = cuda. f64
Typed/0.  # TypeParam = float
  Works
DISABLED_All/Other.
  Works
"""


class Tests(unittest.TestCase):
    def test_lists_are_read(self):
        self.assertEqual(gtest.parse_list(LISTED),
                         ["Chunk.SolvesWithPivoting", "All/Status.NotANumber/cuda_f64",
                          "Typed/0.Works"])

    def test_a_test_asks_about_its_family(self):
        expected = {
            "All/Conformance.EveryLayoutAndSize/cuda_automatic_f64_periodic_partial_none":
                "partition",
            "All/Conformance.OneLongSystem/cuda_lu_c64_regular_partial_none": "named",
            "All/Conformance.OneLongSystem/cuda_packed_cr_f64_regular_none_none": "named",
            "All/Conformance.EveryLayoutAndSize/cpu_lu_c64_regular_partial_none": None,
            "All/Accuracy.NearLapack/f64": "partition",
            "All/LapackTypes.InfoResidualError/reference_f64": None,
            "All/Cuda.RunsOnAStream/executed": "partition",
            "All/Cuda.RunsOnAStream/factored": "factored",
            "All/FactoredScanCuda.Solves/f64_none_factored": "factored",
            "FactoredScan.SolvesOnTwoStreamsCuda": "factored",
            "All/Constant.AsAccurateAsInLongDouble/cuda_f64_regular": "scans",
            "ConstantPartsCuda.AgreesWithTheCpu": "scans",
            "ScanShape.IsSound": None,
            "CompactCuda.IsCapturedInAGraph": "compact",
            "Compact.LongLines": "compact",
            "PrefixSum.OnAGpu": "named",
            "PrefixSum.RegisterPacked": None,
            "StatusExchange.NameTheFirstRow": None,
            "cuda/GpusOfAProcess.SolveAsOne/0": "distributed",
            "All/SmallDistributed.SolvesByEveryStrategy/f64": "distributed",
            "SmallDistributedFields.Derive": "distributed",
            "All/SmallPartitionLevels.Solve/levels_f64_none_regular": "partition",
            "All/SmallScans.Solves/dense_f64_partial_regular": "scans",
            # This test is in no list.
            "Something.New/cuda": "partition",
            "DeviceSolver/3.SolvesEveryNumberOfRows": "device",
        }
        for test, family in expected.items():
            self.assertEqual(families.family_of(test), family, test)

    def test_small_cases_are_watched(self):
        for name in ("Partition", "Named", "Factored", "Scans", "Compact", "Distributed"):
            family = families.BY_NAME[name.lower()]
            self.assertTrue(families.matches(f"All/Small{name}.Solves/a", family.sanitized))

    def test_families_are_listed_once(self):
        self.assertEqual(sorted(families.ORDER), sorted(f.name for f in families.FAMILIES))


def kernels_of(path):
    """Returns the names of the functions that a file marks with __global__."""
    tokens = lexer.tokens_of(path.name, path.read_text(encoding="utf-8"))
    names = []
    for at in (i for i, word in enumerate(tokens) if word == "__global__"):
        at += 1
        while tokens[at] == "void" or tokens[at].startswith("__"):
            at += 1
            depth = 0
            while tokens[at] == "(" or depth:  # of an attribute
                depth += {"(": 1, ")": -1}.get(tokens[at], 0)
                at += 1
        names.append(tokens[at])
    return names


class Kernels(unittest.TestCase):
    def test_every_kernel_has_a_small_case(self):
        """The cases name kernels as {"file", "name"}, and see on a GPU that these are launched."""
        cases = set()
        for path in (ROOT / "tests/small").glob("*.cpp"):
            cases.update(re.findall(r'\{"(\w+)", "(\w+)"\}', path.read_text(encoding="utf-8")))
        names = {name for _, name in cases}
        missing, found = [], 0
        for path in sorted((ROOT / "src").glob("**/*.cu*")):
            for name in kernels_of(path):
                found += 1
                # A header's kernels belong to the files that include it.
                known = (path.stem, name) in cases if path.suffix == ".cu" else name in names
                if not known:
                    missing.append(f"{path.relative_to(ROOT)}: {name}")
        self.assertGreater(found, 25)
        self.assertEqual(missing, [], "add a case to tests/small")


class Sanitizer(unittest.TestCase):
    class Done:
        def __init__(self, output):
            self.output, self.complaints, self.figures = output, [], {}

    def test_summaries_are_read(self):
        for text, errors in (("========= ERROR SUMMARY: 0 errors", 0),
                             ("========= ERROR SUMMARY: 1 error", 1),
                             ("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 "
                              "warnings)", 0),
                             ("========= RACECHECK SUMMARY: 3 hazards displayed (2 errors, 1 "
                              "warning)", 2)):
            done = self.Done("x\n" + text + "\n")
            steps.judge_sanitizer(done)
            self.assertEqual((done.figures["errors"], bool(done.complaints)), (errors, errors > 0))

    def test_no_summary_is_a_complaint(self):
        done = self.Done("========= Error: Device not supported")
        steps.judge_sanitizer(done)
        self.assertTrue(done.complaints)


class Entries(unittest.TestCase):
    ENTRY = {"verdict": "passed", "digest": "d", "date": "2026-01-01T00:00:00Z",
             "suites": {"passed": 2, "failed": 0, "skipped": 0},
             "sanitizer": {t: {"passed": 1, "failed": 0, "errors": 0} for t in steps.TOOLS},
             "compute_80": {"passed": 1, "failed": 0}}

    def judge(self, **changed):
        entries = {name: {**self.ENTRY, **changed} for name in families.ORDER}
        return record.judge(entries, {name: "d" for name in families.ORDER})

    def test_a_good_one_is_good(self):
        self.assertEqual(self.judge(), ([], []))

    def test_figures_count_more_than_the_verdict(self):
        for changed in ({"suites": {"passed": 0, "failed": 0, "skipped": 2}},
                        {"suites": {"passed": 2, "failed": 1, "skipped": 0}},
                        {"verdict": "failed"}, {"verdict": "incomplete"}, {"verdict": "fine"},
                        {"digest": "e"}, {"verdict": "not_run"},
                        {"verdict": "not_run", "reason": " "},
                        {"complaints": ["x"]}):
            self.assertEqual(len(self.judge(**changed)[0]), len(families.ORDER), changed)
        without = {**self.ENTRY["sanitizer"], "racecheck": {"passed": 0, "failed": 0, "errors": 0}}
        self.assertEqual(len(self.judge(sanitizer=without)[0]), len(families.ORDER) - 2)
        self.assertTrue(self.judge(compute_80={"passed": 1, "failed": 1})[0])

    def test_what_is_missing_is_a_warning_where_it_is_said(self):
        errors, warnings = self.judge(verdict="incomplete", compute_80={"reason": "no build"})
        self.assertEqual(len(warnings), len(families.ORDER) - 3)
        self.assertEqual(len(errors), 3, "three families have no code for older cards")
        errors, warnings = self.judge(verdict="not_run", reason="no GPU was lent")
        self.assertEqual((len(errors), len(warnings)), (0, len(families.ORDER)))


if __name__ == "__main__":
    unittest.main()
