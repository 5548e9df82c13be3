# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The program behind scripts/gpu-check: it asks a GPU, and records in tests/gpu_record.json what
was asked and what came of it. It needs Python's standard library alone."""
