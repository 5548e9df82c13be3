# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The parts of docs/papers.md, a module for each experiment of bench/reproduce."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "reproduce"))
