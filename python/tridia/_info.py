# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What this build is, and where a C++ program finds it."""

from pathlib import Path
from typing import Any

from tridia import _native


def info() -> dict[str, Any]:
    """This returns what the library can do on this machine.

    The keys are ``version``, ``cuda_built``, ``cuda_runtime`` ("13.0", or empty), ``cuda_devices``
    (a list of dictionaries, empty where no GPU is visible), ``simd`` (the instruction set that
    kernels of the CPU use), ``threads`` (what ``threads=0`` means) and ``algorithms``.

    >>> sorted(tridia.info())[:3]
    ['algorithms', 'cuda_built', 'cuda_devices']
    """
    return _native.info()


def _installed(path):
    folder = Path(__file__).resolve().parent / path
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is not there: this package was not installed by pip")
    return str(folder)


def include_dir() -> str:
    """This returns the folder of the C++ headers that came with an installed package."""
    return _installed("include")


def cmake_dir() -> str:
    """This returns the folder that ``find_package(tridia)`` takes as ``tridia_DIR``."""
    for lib in ("lib", "lib64"):
        if (Path(__file__).resolve().parent / lib / "cmake" / "tridia").is_dir():
            return _installed(f"{lib}/cmake/tridia")
    return _installed("lib/cmake/tridia")
