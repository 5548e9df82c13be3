#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""A killed `tridia` leaves nothing behind, and existing output unchanged."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import DEVICE, TRIDIA, Case, np

try:
    import h5py
except ImportError:
    h5py = None

TEMPORARY = re.compile(r"\.tridia-.*\.tmp$")
# This hides /proc, without which every file needs a name.
HIDE_PROC = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
             'mount -t tmpfs none /proc && exec "$@"', "sh"]


class Killed(Case):
    """Starts tridia on work that takes long, and ends it once its output is being written."""

    def wait_for(self, process, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertIsNone(process.poll(), "it has ended too early")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def kill_midway(self, command, number, is_midway):
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            try:
                self.wait_for(process, lambda: is_midway(process))
                process.send_signal(number)
                self.assertEqual(process.wait(60), -number)
            finally:
                process.kill()

    def writes_file_without_name(self, process):
        """Returns whether the process has a file of this folder open that has no name (any
        more)."""
        targets = []
        try:
            for fd in Path(f"/proc/{process.pid}/fd").iterdir():
                targets.append(os.readlink(fd))
        except OSError:  # It was closed in between, or the process has ended.
            pass
        return any(t.startswith(f"{self.folder}/") and t.endswith(" (deleted)") for t in targets)

    def writes_file_with_name(self, _=None):
        return any(TEMPORARY.match(name) for name in self.names())

    def slow_solve(self, *options):
        self.systems((200000, 3))
        return self.arguments("--memory", 1, *options)


class WithoutName(Killed):
    """Tests the usual case: nothing stands beside the output, whatever ends the program."""

    def setUp(self):
        super().setUp()
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_RDWR))
        except OSError as error:
            self.skipTest(f"files here need a name: {error}")

    def kill(self, command, number):
        before = self.names()
        self.kill_midway(command, number, self.writes_file_without_name)
        self.assertEqual(self.names(), before)

    def test_every_signal_leaves_nothing(self):
        command = self.slow_solve()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                self.kill(command, number)

    def test_existing_output_keeps_its_contents(self):
        command = self.slow_solve()
        self.path("out").write_bytes(b"precious")
        self.kill(command, signal.SIGKILL)
        self.assertEqual(self.path("out").read_bytes(), b"precious")

    def test_nothing_but_the_output_is_ever_seen(self):
        self.systems((2000, 3))
        before = set(self.names())
        with subprocess.Popen(
            self.arguments("--memory", 1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while process.poll() is None:
                self.assertLessEqual(set(self.names()), before | {"out.npy"})
            self.assertEqual(process.returncode, 0)
        self.assertEqual(set(self.names()), before | {"out.npy"})

    def slow_derive(self, target):
        np.save(self.path("f"), self.rng.uniform(size=(100000, 1, 8)))
        return [TRIDIA, "derive", self.path("f"), f"{target}:/df", "--axis", "2", "--spacing", "1",
                "--memory", "1", "--device", DEVICE]

    def test_hdf5(self):
        if h5py is None:
            self.skipTest("h5py is not there")
        new, old = self.folder / "new.h5", self.folder / "old.h5"
        with h5py.File(old, "w") as file:
            file["precious"] = np.arange(5)
        probe = subprocess.run(self.slow_derive(new)[:4] + ["--spacing", "1"], check=False,
                               capture_output=True, text=True)
        if "built without HDF5" in probe.stderr:
            self.skipTest("this tridia was built without HDF5")
        new.unlink(missing_ok=True)
        before = old.read_bytes()
        for target in (new, old):
            for number in (signal.SIGTERM, signal.SIGKILL):
                with self.subTest(target=target.name, number=number):
                    self.kill(self.slow_derive(target), number)
        self.assertEqual(old.read_bytes(), before)


class WithName(Killed):
    """Tests files that need a name, which a signal that can be caught removes. The driver of a GPU
    needs /proc, so the tests run on the CPU."""

    ON_CPU = ("--device", "cpu")

    def setUp(self):
        super().setUp()
        # A sanitizer needs /proc.
        for probe in (["test", "!", "-e", "/proc/self"], [TRIDIA, "--version"]):
            if not shutil.which("unshare") or subprocess.run(
                HIDE_PROC + probe, check=False, capture_output=True
            ).returncode:
                self.skipTest(f"/proc cannot be hidden from {probe[0]} here")

    def test_a_solution_is_written(self):
        self.systems((20, 30))
        command = self.arguments(*self.ON_CPU)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        expected = self.path("out").read_bytes()
        for there in (False, True):
            with self.subTest(there=there):
                self.path("out").write_bytes(b"old") if there else self.path("out").unlink()
                subprocess.run(HIDE_PROC + command, check=True, stdout=subprocess.DEVNULL)
                self.assertEqual(self.path("out").read_bytes(), expected)
        self.assertFalse(self.writes_file_with_name())

    def test_a_signal_that_can_be_caught_leaves_nothing(self):
        command = HIDE_PROC + self.slow_solve(*self.ON_CPU)
        self.path("out").write_bytes(b"precious")
        before = self.names()
        for name in ("HUP", "INT", "QUIT", "ABRT", "ALRM", "TERM", "USR1", "USR2", "XCPU"):
            with self.subTest(name):
                self.kill_midway(command, getattr(signal, f"SIG{name}"), self.writes_file_with_name)
                self.assertEqual(self.names(), before)
        self.assertEqual(self.path("out").read_bytes(), b"precious")


if __name__ == "__main__":
    unittest.main()
