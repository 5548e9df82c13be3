# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The exceptions of this package."""

from typing import Any

import numpy


class Error(RuntimeError):
    """This is what a device, or this build, cannot do: bad arguments are TypeError or ValueError."""


class SingularError(Error, numpy.linalg.LinAlgError):
    """This says that a matrix has no inverse.

    ``status`` holds an entry for each system, of the shape of the batch: i > 0 where pivot i is
    exactly zero (LAPACK's ``info``), -i where row i (from 1) holds a NaN or an infinity, and 0
    where the system was solved. It is None where the matrix is one that a plan was made of.
    """

    def __init__(self, message: str, status: Any = None) -> None:
        super().__init__(message)
        self.status = status
