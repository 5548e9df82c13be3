# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Solves many tridiagonal systems at once, at the speed of memory."""

from tridia import _native
from tridia._differentials import divergence, gradient, laplacian
from tridia._errors import Error, SingularError
from tridia._factor import factor
from tridia._fields import derivative, filter, interpolate
from tridia._info import cmake_dir, include_dir, info
from tridia._near_toeplitz import NearToeplitz
from tridia._operator import Operator
from tridia._plan import Factors, Plan
from tridia._schemes import Closure, Row, Scheme, schemes
from tridia._solve import solve, solve_banded
from tridia._spline import CubicSpline

__version__: str = _native.version()
__all__ = [
    "Closure",
    "CubicSpline",
    "Error",
    "Factors",
    "NearToeplitz",
    "Operator",
    "Plan",
    "Row",
    "Scheme",
    "SingularError",
    "cmake_dir",
    "derivative",
    "divergence",
    "factor",
    "filter",
    "gradient",
    "include_dir",
    "info",
    "interpolate",
    "laplacian",
    "schemes",
    "solve",
    "solve_banded",
]
