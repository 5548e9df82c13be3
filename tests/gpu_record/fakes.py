# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Provides a tree whose programs are scripts that behave as they are told, and a machine with a GPU
that is a script as well, for tests of scripts/gpu-check without a GPU."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from tool import command, families, gtest, record, stamp

# This program prints what GoogleTest would; `tests` is a dictionary from names to "passed",
# "failed", "skipped" or "crash".
PROGRAM = """#!{python}
import fnmatch, json, os, sys
tests = json.loads({tests!r})
option = dict(a[2:].partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
if "gtest_list_tests" in option:
    suites = {{}}
    for name in tests:
        suites.setdefault(name.split(".")[0], []).append(name.split(".")[1])
    for suite, names in suites.items():
        print(suite + ".")
        for name in names:
            print("  " + name + "  # GetParam() = a.b")
    sys.exit(0)
print({says!r})
chosen = [t for t in tests if any(fnmatch.fnmatchcase(t, p)
                                  for p in option.get("gtest_filter", "*").split(":"))]
out = []
for t in chosen:
    if tests[t] == "crash":
        os.kill(os.getpid(), 9)
    suite, name = t.split(".")
    one = {{"name": name, "classname": suite, "status": "RUN", "time": "0.5s",
           "kernels": "k_" + name, "result": "SKIPPED" if tests[t] == "skipped" else "COMPLETED"}}
    if tests[t] == "failed":
        one["failures"] = [{{"failure": "no"}}]
        print("x.cpp:1: Failure\\nwhat is wrong in " + t)
    out.append(one)
with open(option["gtest_output"].split(":", 1)[1], "w") as file:
    json.dump({{"testsuites": [{{"testsuite": out}}]}}, file)
sys.exit(any(tests[t] == "failed" for t in chosen))
"""
SANITIZER = """#!/bin/bash
tool=$2
while [[ $1 == --* ]]; do shift 2; done
"$@"
code=$?
errors=$(cat "$(dirname "$0")/errors_$tool" 2>/dev/null || echo 0)
case $errors in
  none) echo "========= Error: Device not supported"; exit 1 ;;
esac
if [ "$tool" = racecheck ]; then
  echo "========= RACECHECK SUMMARY: $errors hazards displayed ($errors errors, 0 warnings)"
else
  echo "========= ERROR SUMMARY: $errors errors"
fi
[ "$errors" = 0 ] || exit 9
exit $code
"""
NVIDIA_SMI = """#!/bin/bash
if [ $# = 0 ]; then
  echo "| NVIDIA-SMI 580.1   Driver Version: 580.1   CUDA Version: 13.0 |"
else
  for k in $(seq {gpus}); do echo "NVIDIA H200, 580.1"; done
fi
"""
SERVICE = """#!/bin/bash
echo "$CUDA_MPS_PIPE_DIRECTORY $* $([ "$1" = -d ] || cat)" >> "$(dirname "$0")/service.log"
"""
MPIRUN = """#!/bin/bash
ranks=1
while [[ $1 == -* ]]; do
  if [ "$1" = -n ]; then ranks=$2; shift; fi
  shift
done
code=0
for k in $(seq 0 $((ranks - 1))); do
  OMPI_COMM_WORLD_RANK=$k "$@" || code=1
done
exit $code
"""
LOST_RANK = "#!/bin/bash\n[ $OMPI_COMM_WORLD_RANK = 0 ] && echo told in time\ntrue\n"
UNITTEST = """import sys
print("test_a (x.A.test_a) ... ok", file=sys.stderr)
print("Ran 3 tests in 0.1s\\n\\nOK (skipped=1)", file=sys.stderr)
"""
# A module of this name stands for pytest.
PYTEST = """import sys
path = next(a.split("=")[1] for a in sys.argv if a.startswith("--junitxml="))
with open(path, "w") as file:
    file.write('<testsuites><testsuite><testcase name="one" time="0.1"/><testcase name="two">'
               '{extra}</testcase><testcase name="three"><skipped/></testcase></testsuite>'
               '</testsuites>')
sys.exit({code})
"""
README = f"# A tree\n\n{record.BEGIN}\n{record.END}\n\nThe end.\n"

UNIT = {"All/Status.NotANumber/cuda": "passed", "All/Status.NotANumber/cpu": "failed",
        "All/FactoredScanCuda.Solves/f64": "passed", "CompactCuda.IsCapturedInAGraph": "passed",
        "ConstantPartsCuda.AgreesWithTheCpu": "skipped", "ConstantMatrix.IsRefused": "passed",
        "All/AlgorithmOnGpu.EverySize/f64": "passed", "Chunk.SolvesWithPivoting": "failed"}
CONFORMANCE = {
    f"All/Conformance.EveryLayoutAndSize/cuda_{name}_f64_regular_none_none": "passed"
    for name in ("automatic", "lu", "cr")
}
for small in ("Partition", "Named", "Factored", "Scans", "Compact", "DistributedRows"):
    CONFORMANCE[f"All/Small{small}.Solves/a_f64"] = "passed"
    CONFORMANCE[f"All/Small{small}.Solves/b_f32"] = "passed"
OLDER = "kernels for compute capability 8.0"


class Fakes(unittest.TestCase):
    """Makes a tree that passes; tests then change what some program says."""

    gpus = 1

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "tree"
        self.tools = Path(folder.name) / "tools"
        self.logs = Path(folder.name) / "logs"
        for path in (self.root / "tests/cli", self.root / "python/tests", self.tools):
            path.mkdir(parents=True)
        self.make_sources()
        (self.root / "README.md").write_text(README)
        (self.root / "tests/cli/test_one.py").write_text(UNITTEST)
        (self.root / "python/tests/test_one.py").write_text("")
        self.make_programs()
        self.make_tools()
        before = os.environ["PATH"]
        os.environ["PATH"] = f"{self.tools}:{before}"
        self.addCleanup(os.environ.__setitem__, "PATH", before)

    def make_sources(self):
        """Makes a file for every pattern of the families' roots."""
        for family in families.FAMILIES:
            for pattern in family.roots:
                path = self.root / pattern.lstrip("!").replace("*", "some")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"set(a {path.name})" if path.suffix == ".cmake" else "int a;")

    def make_programs(self):
        self.program("tridia_unit_test", UNIT)
        self.program("tridia_conformance_test", CONFORMANCE)
        self.program("tridia_accuracy_test", {"All/Accuracy.NearLapack/f64": "passed"})
        self.program("tridia_property_test", {"All/Property.Random/cuda": "passed"})
        self.program("tridia_device_test", {"DeviceSolver/0.SolvesSmallCases": "passed"})
        self.program("tridia_nccl_test", {"cuda/GpusOfAProcess.SolveAsOne/0": "passed"})
        self.program("tridia_mpi_test", {"Ranks.Solve": "passed"})
        self.write("build/cuda/bin/tridia_mpi_lost_rank", LOST_RANK)
        self.write("build/cuda/bin/tridia", "#!/bin/bash\n")
        self.program("tridia_conformance_test", CONFORMANCE, "cuda-ptx80", OLDER)
        self.write("build/cuda/python/tridia/_native.so", "")
        self.pytest()
        self.stamp("cuda")
        self.stamp("cuda-ptx80")

    def make_tools(self):
        for name, text in (("compute-sanitizer", SANITIZER), ("mpirun", MPIRUN),
                           ("nvidia-cuda-mps-control", SERVICE),
                           ("nvidia-smi", NVIDIA_SMI.format(gpus=self.gpus))):
            self.executable(self.tools / name, text)

    @staticmethod
    def executable(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def write(self, name, text):
        self.executable(self.root / name, text)

    def program(self, name, tests, preset="cuda", says=""):
        self.write(f"build/{preset}/bin/{name}",
                   PROGRAM.format(python=sys.executable, tests=json.dumps(tests), says=says))

    def pytest(self, code=0, extra=""):
        self.write("build/cuda/python/pytest.py", PYTEST.format(code=code, extra=extra))

    def stamp(self, preset, **changed):
        digests = {**command.Check(self.root, None).digests(), **changed}
        (self.root / f"build/{preset}/bin" / stamp.NAME).write_text(
            json.dumps({"digests": digests}))

    def errors(self, tool, count):
        (self.tools / f"errors_{tool}").write_text(str(count))

    def check(self, *options):
        """Runs gpu-check on the programs as they are; returns its exit code and the record."""
        gtest.list_tests.cache_clear()
        code = command.main(["--root", str(self.root), "--no-build", "--logs", str(self.logs),
                             "--jobs", "4", *options])
        return code, record.load(self.root / "tests/gpu_record.json")

    def verify(self):
        return command.main(["--root", str(self.root), "--verify"])
