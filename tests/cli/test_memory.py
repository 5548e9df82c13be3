#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Too little memory leads to exit code 1, whatever finds no room, and leaves no file behind."""

import json
import resource
import signal
import subprocess
import unittest

from support import TRIDIA, Case, np

try:
    import h5py
except ImportError:
    h5py = None

MIB = 1 << 20
ARRAY = 8 * MIB  # the size of each array
STEP = ARRAY // 4


class Limited(Case):
    """Runs commands under a limit on their address space, as `ulimit -v` sets it."""

    def setUp(self):
        super().setUp()
        if self.run_under(1024 * MIB, ["--version"]).returncode != 0:
            self.skipTest("this tridia wants more address space than any limit (a sanitizer)")

    def has_gpu(self):
        info = self.run_under(resource.RLIM_INFINITY, ["info", "--json"])
        return bool(json.loads(info.stdout)["cuda_devices"])

    def run_under(self, limit, arguments):
        return subprocess.run(
            [TRIDIA, *map(str, arguments)], check=False, capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )


class AddressSpace(Limited):
    """Runs each command under every limit, from the least with which it starts to one that is
    enough."""

    def setUp(self):
        super().setUp()
        if self.has_gpu():
            self.skipTest("the driver of the GPU takes address space as well")
        self.least = next(
            limit for limit in range(STEP, 1024 * MIB, STEP)
            if self.run_under(limit, ["info"]).returncode == 0
        )

    def failures(self, arguments, crashes=0):
        """Returns the sentences for rising limits, until there is enough. One of two threads must
        be started. At so many limits the command may crash."""
        before = self.names()
        sentences = []
        for limit in range(self.least, self.least + 1024 * MIB, STEP):
            run = self.run_under(limit, [*arguments, "--json", "--threads", 2])
            if run.returncode == 0:
                return sentences
            self.assertEqual(self.names(), before)
            if run.returncode == -signal.SIGSEGV and crashes > 0:
                crashes -= 1
                continue
            self.assertEqual(run.returncode, 1, f"{limit} bytes: {run.stderr}")
            sentences.append(run.stderr)
            if not run.stdout:  # There was no memory for a report, or OpenMP's runtime called exit.
                self.assertRegex(run.stderr, "^tridia: memory ran out\n|Thread creation failed")
                continue
            error = json.loads(run.stdout)["error"]
            self.assertEqual(error["code"], 1)
            self.assertEqual(run.stderr, f"tridia: {error['message']}\n")
        self.fail(f"no limit is enough: {sentences[-1]}")

    def check_sentences(self, sentences, *expected):
        """Checks that each of these sentences is said, in this order."""
        rest = iter(sentences)
        for words in expected:
            self.assertTrue(any(all(word in s for word in words) for s in rest),
                            f"{words} in {sentences}")

    def test_solve(self):
        self.systems((ARRAY // 8 // 32, 32))
        sentences = self.failures(self.arguments("--device", "cpu")[1:])
        self.check_sentences(sentences, *(
            (f"--{name}: ", "cannot be mapped") for name in ("dl", "d", "du", "rhs", "out")
        ))

    def derive(self, source, target):
        return ["derive", source, target, "--axis", 1, "--spacing", 1, "--device", "cpu"]

    def field(self):
        return self.rng.uniform(size=(32, 64, ARRAY // 8 // 32 // 64))

    def test_derive(self):
        self.save(f=self.field())
        sentences = self.failures(self.derive(self.path("f"), self.path("df")))
        self.check_sentences(sentences, *(
            (f"{name}: ", "cannot be mapped") for name in ("IN", "OUT")
        ))

    def test_hdf5(self):
        if h5py is None:
            self.skipTest("h5py is not there")
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["native"] = self.field()
            file["big"] = self.field().astype(">f8")
            file.create_dataset(
                "chunked", data=self.field(), chunks=(8, 64, 32), compression="gzip"
            )
        for name in ("native", "big", "chunked"):
            with self.subTest(name):
                out = self.folder / "out.h5"
                command = self.derive(f"{self.folder}/in.h5:/{name}", f"{out}:/df")
                probe = self.run_under(resource.RLIM_INFINITY, command)
                if "built without HDF5" in probe.stderr:
                    self.skipTest("this tridia was built without HDF5")
                out.unlink()
                # Where an allocation of its own failed, libhdf5 1.10 may follow a null pointer when
                # it cleans up (H5FL_blk_free): which one fails depends on the size of the program.
                self.check_sentences(self.failures(command, crashes=1), ("memory ran out; ",))
                out.unlink()


class Device(Limited):
    def test_cuda_cannot_start(self):
        """CUDA reserves addresses for all memory of host and GPU."""
        if not self.has_gpu():
            self.skipTest("no GPU is here")
        self.systems((20, 30))
        before = self.names()
        run = self.run_under(2048 * MIB, self.arguments("--device", "cuda")[1:])
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertTrue(run.stderr.startswith("tridia: "), run.stderr)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    unittest.main()
