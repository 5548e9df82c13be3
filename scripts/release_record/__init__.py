# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""This is the program behind scripts/release-check: it makes clean systems and records in
tests/release_record.json what was done in them. It needs only Python's standard library."""
