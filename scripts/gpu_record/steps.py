# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes the jobs for a GPU, step by step: each function makes those of one step."""

import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import gtest
from .families import BY_NAME, family_of, matches
from .jobs import Job

PROGRAMS = ("tridia_unit_test", "tridia_accuracy_test", "tridia_conformance_test",
            "tridia_property_test", "tridia_device_test")
SMALL = "tridia_conformance_test"  # has the small cases too: tests/small
# synccheck is left out: it tracks too few barriers of shared memory, and launches fail after that.
TOOLS = ("memcheck", "racecheck")
# If kernels of several types differ in the size of the type alone, the smallest and the largest
# type are enough: racecheck takes half of all the time even so. Batches that fill a GPU take long,
# and one tool is enough for each. If ranks are threads, racecheck fails to track what they launch,
# and hangs.
LEFT_OUT = {"racecheck": ("*[_/]f64", "*_f64_*", "*[_/]c64", "*_c64_*", "*SmallDistributed.*",
                          "SmallDistributedFields.Derive", "SmallDistributedFields.ExchangeHalos"),
            "memcheck": ("*/turns_f32*",)}
OLDER_CARDS = "compute_80"
SUITES, COMMAND_LINE, PYTHON, RANKS = "suites", "command line", "python", "several GPUs"

# These are numbers of tests per job: few enough for jobs to be shared out evenly, and enough to be
# worth a start.
TESTS_A_JOB, SMALL_A_JOB, SANITIZED_A_JOB = 6, 48, 12
IS_SMALL = ("*Small*",)
# Tests that take long by themselves begin first.
LONG = ("*NearLapack*", "*SolvesWithAnyTuning*", "*SolvesTilesInTurns*", "*AlgorithmOnGpu*",
        "*AsAccurateAsInLongDouble*", "Compact.*")
# If many programs run at the same time, each has only a few cores.
FEW_THREADS = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
# Containers forbid one process to read another's memory.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

# Older cards are asked about these, in one type, as the driver takes minutes to compile one: the
# small cases, and the conformance suite of `automatic` and, as all its variants are one kernel, of
# one of `lu`.
QUICK_ON_OLDER_CARDS = ("*Small*f64*",)
ON_OLDER_CARDS = QUICK_ON_OLDER_CARDS + (
    "*EveryLayoutAndSize/cuda_automatic_f64_*_none",
    "*EveryLayoutAndSize/cuda_lu_f64_regular_partial_none")


@dataclass
class Request:
    """Says what is to be asked, and where files are."""

    root: Path
    families: tuple  # names
    quick: bool
    work: Path  # for files of results
    gpus: int
    sharing: dict = field(default_factory=dict)  # environment of programs that share a GPU

    @property
    def bin(self):
        return self.root / "build/cuda/bin"

    @property
    def python(self):
        return self.root / "build/cuda/python"

    @property
    def older_bin(self):
        return self.root / "build/cuda-ptx80/bin"

    def wants(self, test):
        return family_of(test) in self.families


def _in_parts(tests, size):
    """Returns parts of about `size` tests. Neighbours, which take equally long, are in different
    parts."""
    count = -(-len(tests) // size)
    return [tests[k::count] for k in range(count)]


class _Numbered:
    """Makes file names that no two jobs share."""

    count = 0

    @classmethod
    def file(cls, folder):
        cls.count += 1
        return folder / f"results-{cls.count}.json"


def _families_of(tests):
    return frozenset(family_of(t) for t in tests)


def gtest_job(request, step, program, tests, prefix=(), judge=None, **more):
    """Runs tests of a program; `judge(done)` looks at more than their results."""
    path = _Numbered.file(request.work)
    command = [*prefix, program, "--gtest_brief=1", f"--gtest_output=json:{path}",
               "--gtest_filter=" + ":".join(tests)]

    def read(done):
        results = gtest.read_results(path, tests)
        if judge:
            judge(done)
        if done.code not in (0, None) and not results.bad and not done.complaints:
            done.complaints.append(f"exit code {done.code}, though no test failed")
        return results

    label = f"{Path(program).name} {tests[0]}"
    if len(tests) > 1:
        label += f" and {len(tests) - 1} more"
    more.setdefault("environment", {**FEW_THREADS, **request.sharing})
    return Job(step, label, _families_of(tests), command, read, **more)


def suites(request):
    """Makes jobs of the GoogleTest suites, each for one family, so that a crash affects no
    other."""
    long, others = [], []
    for program in PROGRAMS:
        path = request.bin / program
        for name in request.families:
            tests = [t for t in gtest.list_tests(path) if family_of(t) == name]
            small = [t for t in tests if matches(t, IS_SMALL)]
            tests = [t for t in tests if t not in small][:: 3 if request.quick else 1]
            alone = [t for t in tests if matches(t, LONG)]
            tests = [t for t in tests if t not in alone]
            long += [gtest_job(request, SUITES, path, [t]) for t in alone]
            parts = _in_parts(tests, TESTS_A_JOB) + _in_parts(small, SMALL_A_JOB)
            others += [gtest_job(request, SUITES, path, part) for part in parts]
    return long + others


_SUMMARY = re.compile(
    r"(?:ERROR SUMMARY: (?P<errors>\d+) error"
    r"|RACECHECK SUMMARY: \d+ hazards? displayed \((?P<hazards>\d+) errors?, \d+ warnings?\))"
)


def judge_sanitizer(done):
    """Reads the number of errors in the summary of compute-sanitizer; without one, nothing was
    checked."""
    found = _SUMMARY.search(done.output)
    if not found:
        done.complaints.append("compute-sanitizer came to no summary")
        return
    done.figures["errors"] = int(found["errors"] or found["hazards"] or 0)
    if done.figures["errors"]:
        done.complaints.append(f"compute-sanitizer found {done.figures['errors']} errors")


def find_sanitizer():
    return shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"


def sanitizer(request, tool):
    """Makes jobs of each family's tests for compute-sanitizer, mainly the small cases, under one of
    its tools, which slow kernels down by two orders of magnitude."""
    prefix = [find_sanitizer(), "--tool", tool, "--error-exitcode", "9", "--print-limit", "10"]
    jobs = []
    for program in PROGRAMS:
        path = request.bin / program
        tests = gtest.list_tests(path)
        for name in request.families:
            own = [t for t in tests
                   if family_of(t) == name and matches(t, BY_NAME[name].sanitized)
                   and not matches(t, LEFT_OUT.get(tool, ()))]
            jobs += [gtest_job(request, tool, path, part, prefix, judge_sanitizer, seconds=420)
                     for part in _in_parts(own, SANITIZED_A_JOB)]
    return jobs


def older_cards(request):
    """Makes jobs of code for compute capability 8.0, which the driver compiles for the GPU at hand:
    minutes of work, kept in a cache. Each family has a job, as families share little code."""
    path = request.older_bin / SMALL
    patterns = QUICK_ON_OLDER_CARDS if request.quick else ON_OLDER_CARDS
    tests = [t for t in gtest.list_tests(path)
             if request.wants(t) and BY_NAME[family_of(t)].older_cards and matches(t, patterns)]
    by_family = {}
    for test in tests:
        by_family.setdefault(family_of(test), []).append(test)
    environment = {**FEW_THREADS, **request.sharing,
                   "CUDA_CACHE_PATH": str(request.root / "build/gpu-check/compiled"),
                   "CUDA_CACHE_MAXSIZE": str(4 << 30)}
    return [gtest_job(request, OLDER_CARDS, path, tests, judge=judge_older, seconds=420,
                      environment=environment)
            for _, tests in sorted(by_family.items())]


def judge_older(done):
    """Refuses results of code for another compute capability, which would prove nothing."""
    if "kernels for compute capability 8.0" not in done.output:
        done.complaints.append("the kernels are not those of compute capability 8.0")


_RAN = re.compile(r"^Ran (\d+) tests? in", re.MULTILINE)
_SKIPPED = re.compile(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", re.MULTILINE)
_BAD = re.compile(r"^(?:FAIL|ERROR): (\S+ \([^)]*\))", re.MULTILINE)


def read_unittest(done, name):
    """Reads the results of a test in Python, whose output names only what failed."""
    results = gtest.Results()
    if done.code == 77:
        results.skipped.add(name)
        return results
    ran, skipped = _RAN.search(done.output), _SKIPPED.search(done.output)
    results.failed.update(f"{name} {test}" for test in _BAD.findall(done.output))
    if not ran or (done.code != 0 and not results.failed):
        results.lost.add(name)
        return results
    left_out = int(skipped[1]) if skipped else 0
    passed = int(ran[1]) - left_out - len(results.failed)
    results.skipped.update(f"{name} {k}" for k in range(left_out))
    results.passed.update(f"{name} {k}" for k in range(passed))
    return results


def command_line(request):
    if COMMAND_LINE not in request.families:
        return []
    scripts = sorted((request.root / "tests/cli").glob("test_*.py"))
    environment = {**FEW_THREADS, "TRIDIA_CLI": str(request.bin / "tridia"),
                   "TRIDIA_CLI_DEVICE": "cuda"}
    return [Job(COMMAND_LINE, script.name, frozenset({COMMAND_LINE}),
                [sys.executable, "-B", script],
                lambda done, name=script.name: read_unittest(done, name), environment)
            for script in (scripts[::3] if request.quick else scripts)]


def python(request, alone=False):
    """Makes jobs of the Python package's tests, a file each, for the interpreter at hand and the
    frameworks that it has. Those that run `alone` make work of a known length for the GPU, which
    takes many times as long beside others."""
    if PYTHON not in request.families:
        return []
    jobs = []
    for script in sorted((request.root / "python/tests").glob("test_*.py")):
        if script.stem.endswith("_gpu") != alone:
            continue
        path = _Numbered.file(request.work).with_suffix(".xml")
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                   f"--junitxml={path}", script]
        found = os.environ.get("PYTHONPATH")
        environment = {**FEW_THREADS, "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
                       "PYTHONPATH": f"{request.python}:{found}" if found else str(request.python)}
        jobs.append(Job(PYTHON, script.name, frozenset({PYTHON}), command,
                        lambda done, name=script.name, path=path: read_pytest(done, name, path),
                        environment))
    return jobs[::3] if request.quick else jobs


def read_pytest(done, name, path):
    """Reads the file of --junitxml=path, which pytest writes at its end."""
    results = gtest.Results()
    try:
        cases = ElementTree.parse(path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError):
        cases = []
    for case in cases:
        test = f"{name} {case.get('name')}"
        outcome = {child.tag for child in case}
        bad = outcome & {"failure", "error"}
        (results.failed if bad else results.skipped if "skipped" in outcome
         else results.passed).add(test)
        results.seconds[test] = float(case.get("time", 0))
    # A file whose tests are all left out ends with code 5 and has a case that says so.
    if done.code not in (0, 5) and not results.failed:
        results.lost.add(name)
    return results


def ranks(request):
    """Makes jobs for several GPUs, of one process and of several. These run one after another, as
    their time limits are part of what is tested."""
    if "distributed" not in request.families:
        return []
    path = request.bin / "tridia_nccl_test"
    jobs = [gtest_job(request, RANKS, path, gtest.list_tests(path), environment={})]
    jobs.append(_mpi_suite(request))
    jobs.append(_lost_rank(request))
    return jobs


def _mpirun(request, *options):
    return ["mpirun", *options, "-n", str(request.gpus)]


def _mpi_suite(request):
    """Makes the job of the MPI suite. Each rank writes a file of results; a test has passed if it
    passed on all ranks."""
    folder = _Numbered.file(request.work).with_suffix("")
    folder.mkdir()
    program = request.bin / "tridia_mpi_test"
    tests = gtest.list_tests(program, ("mpirun", "-n", "1"), tuple(OPEN_MPI.items()))
    command = [*_mpirun(request), "bash", "-c",
               'exec "$@" --gtest_output=json:"$0/$OMPI_COMM_WORLD_RANK.json"', folder,
               program, "--device", "cuda", "--gtest_brief=1"]

    def read(_):
        of_ranks = [gtest.read_results(folder / f"{k}.json", tests) for k in range(request.gpus)]
        results = of_ranks[0]
        for other in of_ranks[1:]:
            results.failed |= other.failed
            results.lost |= other.lost
        results.passed -= results.bad
        results.skipped -= results.bad
        return results

    return Job(RANKS, f"tridia_mpi_test on {request.gpus} GPUs", frozenset({"distributed"}),
               command, read, OPEN_MPI, 420)


def _lost_rank(request):
    name = "tridia_mpi_lost_rank"

    def read(done):
        results = gtest.Results()
        told = done.output.count("told in time") == request.gpus - 1
        (results.passed if told else results.failed).add(name)
        return results

    command = [*_mpirun(request, "--enable-recovery"), request.bin / name, "--device", "cuda"]
    return Job(RANKS, name, frozenset({"distributed"}), command, read, OPEN_MPI, 120)


def benchmarks(request, folder):
    """Returns the commands of the benchmark, which needs the machine to itself."""
    return [[request.bin / "tridia_bench", what, "--device", "cuda", "--json",
             folder / f"{what}.json"] for what in ("solve", "derive")]
