# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""The gallery: which examples the site runs, and with which arguments."""

import importlib.util
import os
import re
import tempfile
from pathlib import Path

# Examples that need what CI does not have. They are shown with the pictures of docs/examples, unless
# the environment has TRIDIA_SITE_ALL_EXAMPLES: then it is an error if they cannot be run.
NEED = {"heston_adi": "torch", "spline_fit": "torch"}


class Arguments:
    """Gives an example its command line: it draws its picture, which the gallery shows."""

    def __repr__(self):
        return "Arguments"  # Sphinx compares configurations by this.

    def __call__(self, gallery_conf, script_vars):
        return ["--png", os.path.join(tempfile.gettempdir(), "tridia-gallery.png")]


def is_run(name):
    """Says whether the site's build runs an example."""
    module = NEED.get(name)
    if module is None or importlib.util.find_spec(module):
        return True
    if os.environ.get("TRIDIA_SITE_ALL_EXAMPLES"):
        raise SystemExit(f"TRIDIA_SITE_ALL_EXAMPLES: {name}.py needs {module}")
    return False


def configuration(staged):
    """Returns sphinx-gallery's configuration for examples that were staged in a folder."""
    run = [path.stem for path in sorted(Path(staged).glob("*.py")) if is_run(path.stem)]
    return {
        "examples_dirs": [str(staged)],
        "gallery_dirs": ["gallery"],
        "filename_pattern": "|".join(re.escape(f"/{name}.py") for name in run),
        "reset_argv": Arguments(),
        "within_subsection_order": "FileNameSortKey",
        "download_all_examples": False,
        "remove_config_comments": True,
        "show_memory": False,
        "write_computation_times": False,
        "show_signature": False,
        "min_reported_time": 1e9,
        "abort_on_example_error": True,
    }
