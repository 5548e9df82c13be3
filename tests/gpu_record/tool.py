# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Imports the modules of scripts/gpu_record, for their tests."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from gpu_record import command, families, gtest, jobs, lexer, record, report  # noqa: E402, F401
from gpu_record import sources, stamp, steps  # noqa: E402, F401
