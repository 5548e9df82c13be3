# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""This is the program behind scripts/gpu-check: it asks a GPU, and records in tests/gpu_record.json
what was asked and the results. It needs only Python's standard library."""
