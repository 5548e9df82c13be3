# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Holds the families of kernels, as data: the sources of each, and which tests ask a GPU about it.

A digest covers the roots and all that they include. Tests are not part of it: what they find
depends on the sources alone, and a new test is no new kernel. The roots name the translation units
of a family, on the host as well as on the GPU; a change of a file that all of them include, say in
src/core, asks for all families again."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

# Every solve passes these on its way to a kernel: shapes, the choice of an algorithm, the executor,
# and how kernels are compiled.
SHARED = (
    "src/gpu/*.cpp",
    "src/gpu/*.cu",
    "!src/gpu/absent.cpp",
    "src/layout/*.cpp",
    "src/line_operator/*.cpp",
    "src/solver/*.cpp",
    "!src/solver/info.cpp",  # describes the machine, the CPU's instruction set among it
    "src/solver/cuda/*.cpp",
    "src/solver/cuda/*.cu",
    "!src/solver/cuda/absent.cpp",
    "src/cuda_kernels.cmake",
    "cmake/cuda.cmake",
)
PARTITION = (
    "src/solver/cuda/partition/*.cpp",
    "src/solver/cuda/partition/*.cu",
    "src/solver/cuda/partition/segments/*.cpp",
    "src/solver/cuda/partition/segments/*.cu",
)
BACKWARD = (
    "src/solver/backward/*.cpp",
    "src/solver/cuda/backward/*.cpp",
    "src/solver/cuda/backward/*.cu",
)
NAMED = ("src/solver/cuda/named/*.cpp", "src/solver/cuda/named/*.cu")
FACTORED = (
    "src/solver/cuda/factored/*.cpp",
    "src/solver/cuda/factored/*.cu",
    "src/line_operator/cuda/line_scan.cpp",
    "src/line_operator/cuda/scan.cpp",
    "src/line_operator/cuda/scan.cu",
)
SCANS = ("src/line_operator/cuda/*.cpp", "src/line_operator/cuda/*.cu")
COMPACT = (
    "src/compact/*.cpp",
    "src/compact/cuda/*.cpp",
    "src/compact/cuda/*.cu",
    "!src/compact/cuda/absent.cpp",
) + SCANS
DISTRIBUTED = (
    "src/distributed/*.cpp",
    "src/distributed/compact/*.cpp",
    "src/distributed/line_operator/*.cpp",
    "src/distributed/cuda/*.cpp",
    "src/distributed/cuda/*.cu",
    "!src/distributed/cuda/absent.cpp",
    "src/distributed/mpi/*.cpp",
    "src/distributed/nccl/*.cpp",
    "src/mpi.cmake",
    "src/nccl.cmake",
)
PYTHON = ("python/src/*.cpp", "python/tridia/*.py", "python/*.cmake", "python/CMakeLists.txt")
DEVICE = ("include/tridia/device/*.cuh", "include/tridia/device/detail/*.cuh",
          "cmake/device_headers.cmake")
COMMAND_LINE = ("src/cli/*.cpp", "src/cli/*/*.cpp", "src/cli/CMakeLists.txt")


@dataclass(frozen=True)
class Family:
    name: str
    title: str
    roots: tuple
    tests: tuple = ()  # patterns; see family_of
    sanitized: tuple = ()  # patterns of those among them that compute-sanitizer watches
    older_cards: bool = True  # whether it has tests of code that the driver compiles
    gpus: int = 1  # fewer of them say nothing about it


# In the order of this list, the first family that has a pattern of a test gets the test.
FAMILIES = (
    Family("named", "named algorithms", SHARED + NAMED, (
        "*SmallNamed*", "*AlgorithmOnGpu*", "PrefixSum.OnAGpu", "*Conformance.*/cuda_thomas_*",
        "*Conformance.*/cuda_lu_*", "*Conformance.*/cuda_*cr*",
        "*Conformance.*/cuda_hierarchical_*", "*Conformance.*/cuda_neato_*"), ("*SmallNamed*",)),
    Family("factored", "saved factors", SHARED + FACTORED, (
        "*SmallFactored*", "*FactoredScan*", "*/Cuda.*/factored", "NanCudaOfOneMatrix.*"),
        ("*SmallFactored*",)),
    Family("compact", "compact operators", SHARED + COMPACT, (
        "*SmallCompact*", "Compact.*", "CompactAdjoint.*", "CompactAdjointDot/*", "CompactArrays.*",
        "CompactCuda.*", "CompactHighDerivatives.*", "CompactLayout/*", "Differential.*",
        "DifferentialCuda.*"),
        ("*SmallCompact*", "CompactLayout/*.RacecheckOfPeriodicLines")),
    Family("distributed", "distributed fields", SHARED + PARTITION + COMPACT + DISTRIBUTED, (
        "*SmallDistributed*", "DistributedCarry.*", "*DistributedExchange*",
        "*GpusOfAProcess*", "GpusTogether.*"),
        ("*SmallDistributed*",), gpus=2),
    Family("scans", "constant coefficients", SHARED + SCANS, (
        "*SmallScans*", "*/Constant.*/cuda*", "ConstantMatrix.*", "ConstantPartsCuda.*",
        "SplitLinesCuda.*", "PeriodicConstants.*", "*Scan*"),
        ("*SmallScans*", "PeriodicConstants.Racecheck")),
    Family("device", "inside kernels", DEVICE, ("DeviceSolver/*", "All/DeviceAccuracy.*"),
           ("DeviceSolver/*.SolvesSmallCases",), older_cards=False),
    Family("command line", "command line", COMMAND_LINE, older_cards=False),
    Family("python", "Python package", PYTHON, older_cards=False),
    # All remaining tests ask about this family.
    Family("partition", "partition method", SHARED + PARTITION + BACKWARD, ("*",),
           ("*SmallPartition*", "*SmallBackward*")),
)
BY_NAME = {f.name: f for f in FAMILIES}
# The families are printed and recorded in this order.
ORDER = ("partition", "named", "factored", "scans", "compact", "distributed", "device",
         "command line", "python")

# These tests need no GPU, and run in CI.
ON_A_HOST = (
    "*/cpu*", "*/reference*", "*AlgorithmOnReference*", "*Shape.*", "BadBackward.*", "Border/*",
    "Box.*", "BroadcastMatrices.*", "Chunk.*", "ChunkTables.*", "Closure*.*",
    "CompactRefusals.*", "ConstantParts.*", "CrossElimination.*", "CyclicReduction.*", "Decay.*",
    "FastDivide.*", "Decomposition.*", "Interleaving.*", "MergedStatus.*", "Layout.*", "LineStatus.*",
    "NoElements.*", "Names.*", "NearToeplitzReduction.*", "Oracle.*", "PartialGroups.*",
    "PrefixSum.RegisterPacked", "Recurrence*.*",
    "Scheme*.*", "SortedBatch.*", "SplitLine.*", "SplitLines.*", "Strategies.*", "SumGroups.*",
    "SumPlan.*", "TensorLayout.*", "TileOrder.*", "TileSchedule.*", "Tuning.*", "StatusExchange.*",
    "ZeroStep.*",
)


def matches(test, patterns):
    return any(fnmatchcase(test, p) for p in patterns)


def family_of(test):
    """Returns the name of the family that a test of GoogleTest asks about; None if it needs no
    GPU."""
    if matches(test, ON_A_HOST):
        return None
    return next(f.name for f in FAMILIES if matches(test, f.tests))
