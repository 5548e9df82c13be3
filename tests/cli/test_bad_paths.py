#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Files that cannot be read or written are refused."""

import os
import resource
import subprocess
import unittest
from pathlib import Path

from support import BadInput


class Paths(BadInput):
    """Tests files that cannot be opened, written or filled."""

    def test_files_that_cannot_be_read(self):
        self.refuse("--du", "missing.npy", "No such file", du=self.path("missing"))
        self.refuse("--du", "directory", du=self.folder)
        self.refuse("--du", "regular", du="/dev/null")
        os.mkfifo(self.path("fifo"))
        self.before = self.names()
        self.refuse("--du", "regular", du=self.path("fifo"))

    def test_files_that_cannot_be_written(self):
        self.refuse("--out", "No such file", out=self.folder / "missing" / "x.npy")
        self.refuse("--out", "Not a directory", out=self.path("d") / "x.npy")
        self.refuse("--out", "directory", out=self.folder)
        self.refuse("--out", "/dev/null", out="/dev/null")
        self.refuse("--out", "too long", out=self.folder / ("x" * 300))
        self.assertTrue(Path("/dev/null").is_char_device())

    def test_directory_without_permission(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        self.before = self.names()
        self.refuse("--out", "Permission denied", out=locked / "x.npy")

    def test_existing_output_survives(self):
        self.path("out").write_bytes(b"precious")
        self.before = self.names()
        self.refuse("--axis", options=["--axis", 9])
        self.assertEqual(self.path("out").read_bytes(), b"precious")

    def test_disk_is_full(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        run = subprocess.run(
            self.arguments(), preexec_fn=limit, capture_output=True, text=True, check=False
        )
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "^tridia: --out: .*too large")
        self.assertEqual(self.names(), self.before)


if __name__ == "__main__":
    unittest.main()
