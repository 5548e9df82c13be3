# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Solves many tridiagonal systems at once, at the speed of memory."""

from tridia import _native
from tridia._errors import Error, SingularError
from tridia._info import cmake_dir, include_dir, info

__version__ = _native.version()
__all__ = ["Error", "SingularError", "cmake_dir", "include_dir", "info"]
