# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Records which sources programs were built from, in a file beside them that is written where they
are built, so that a machine without a compiler records no more than it was given."""

import json
import subprocess

NAME = "gpu_check_stamp.json"
# Each entry is (preset, folder of its programs, its targets; none means all).
PRESETS = (
    ("cuda", "build/cuda/bin", ()),
    ("cuda-ptx80", "build/cuda-ptx80/bin", ("tridia_conformance_test",)),
)


class Changed(Exception):
    pass


def _python(root, preset):
    """Returns the options that build the Python package, too, if there is an interpreter for it:
    scripts/test makes one."""
    interpreter = root / "build/venv/bin/python"
    if preset != "cuda" or not interpreter.exists():
        return []
    return ["-DTRIDIA_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={interpreter}"]


def build(root, digests_of, processes):
    """Builds both presets. `digests_of()` reads the tree, which must not change meanwhile."""
    before = digests_of()
    for preset, folder, targets in PRESETS:
        print(f"\n== building {preset}", flush=True)
        subprocess.run(["cmake", "--preset", preset, "--no-warn-unused-cli", "--log-level=WARNING",
                        *_python(root, preset)], cwd=root, check=True)
        command = ["cmake", "--build", "--preset", preset, "--parallel", str(processes)]
        subprocess.run(command + (["--target", *targets] if targets else []), cwd=root, check=True)
        if digests_of() != before:
            raise Changed("sources have changed while they were compiled: build again")
        text = json.dumps({"digests": before}, indent=1)
        (root / folder / NAME).write_text(text + "\n", encoding="utf-8")


def differing(folder, digests):
    """Returns the families whose sources differ from those that the programs in a folder were built
    from; all of them if nothing says what those were."""
    try:
        built = json.loads((folder / NAME).read_text(encoding="utf-8"))["digests"]
    except (OSError, ValueError, KeyError):
        built = {}
    return [name for name, digest in digests.items() if built.get(name) != digest]
