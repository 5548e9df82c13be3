# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The examples run, and their own checks hold."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda p: p.stem)
def test_example(script, tmp_path):
    options = []
    try:
        import matplotlib  # noqa: F401
        options = ["--png", str(tmp_path / "picture.png")]
    except ImportError:
        pass
    run = subprocess.run([sys.executable, "-B", script, *options], capture_output=True, text=True,
                         timeout=300, env=os.environ)
    if run.returncode == 77:
        pytest.skip("what it needs is not there")
    assert run.returncode == 0, run.stderr
    assert not options or (tmp_path / "picture.png").stat().st_size > 10_000
