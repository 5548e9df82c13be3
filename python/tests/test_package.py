# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What the package ships for type checkers."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tridia

PACKAGE = Path(tridia.__file__).parent


def test_the_stubs_of_the_extension_are_up_to_date(tmp_path):
    pytest.importorskip("nanobind.stubgen")
    made = tmp_path / "_native.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "tridia._native", "-o",
                    str(made)], check=True)
    # How it is formatted depends on nanobind's version.
    trees = [ast.dump(ast.parse(path.read_text())) for path in (PACKAGE / "_native.pyi", made)]
    assert trees[0] == trees[1], ("write it again: python -m nanobind.stubgen -m tridia._native -o "
                                  "python/tridia/_native.pyi")
    assert (PACKAGE / "py.typed").exists()
