#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests tridia derive: derivatives of known fields, files of every kind, and what is refused."""

import json
import subprocess
import unittest

from support import DEVICE, TRIDIA, Case, np

try:
    import h5py
except ImportError:
    h5py = None


def waves(shape, axis, dtype, order="C"):
    """Returns sin along an axis of a periodic box of length 2 pi, with a different phase on each
    line."""
    n = shape[axis]
    x = 2 * np.pi * np.arange(n) / n
    x = x.reshape([-1 if a == axis else 1 for a in range(len(shape))])
    others = [1 if a == axis else s for a, s in enumerate(shape)]
    phase = np.arange(np.prod(others)).reshape(others)
    angle = x + phase
    f, df, d2f = np.sin(angle), np.cos(angle), -np.sin(angle)
    if np.dtype(dtype).kind == "c":
        f, df, d2f = f + 2j * df, df - 2j * f, d2f - 2j * df
    return tuple(np.asarray(a.astype(dtype), order=order) for a in (f, df, d2f))


class Derive(Case):
    def run_derive(self, source, target, *options):
        command = [TRIDIA, "derive", str(source), str(target), *(str(o) for o in options)]
        if "--device" not in options:
            command += ["--device", DEVICE]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def derive(self, source, target, *options):
        run = self.run_derive(source, target, *options, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def check(self, out, expected, tolerance):
        self.assertEqual(out.shape, expected.shape)
        self.assertEqual(out.dtype, expected.dtype)
        self.assertLess(np.abs(out - expected).max(), tolerance)


class Fields(Derive):
    shape = (9, 64, 11)

    def test_types_axes_and_orders(self):
        for dtype in ("<f4", "<f8", "<c8", "<c16"):
            for axis in (0, 1, 2, -1):
                for memory_order in "CF":
                    shape = tuple(64 if a == axis % 3 else 5 + a for a in range(3))
                    f, df, d2f = waves(shape, axis % 3, dtype, memory_order)
                    self.save(f=f)
                    h = 2 * np.pi / 64
                    for order, expected in ((1, df), (2, d2f)):
                        report = self.derive(
                            self.path("f"), self.path("out"), "--axis", axis, "--order", order,
                            "--spacing", h, "--periodic",
                        )
                        out = np.load(self.path("out"))
                        self.check(out, expected, 1e-2 if dtype in ("<f4", "<c8") else 1e-6)
                        self.assertEqual(np.isfortran(out), np.isfortran(f))
                        self.assertEqual(report["shape"], list(shape))
                        self.assertIsNone(report["closure"])

    def test_closures_and_schemes(self):
        x = np.linspace(0, 1, 80)
        self.save(f=np.exp(x))
        for scheme, closure in (("C4", "3-4-3"), ("C6", "3-4-6-4-3"), ("C8", "3-4-6-8-6-4-3")):
            report = self.derive(
                self.path("f"), self.path("out"), "--scheme", scheme, "--spacing", 1 / 79
            )
            self.assertEqual(report["closure"], closure)
            self.assertIsNone(report["warning"])
            self.check(np.load(self.path("out")), np.exp(x), 1e-5)
        report = self.derive(
            self.path("f"), self.path("out"), "--spacing", 1 / 79, "--closure", "5-5-6-5-5"
        )
        self.assertIn("3-4-6-4-3", report["warning"])
        self.check(np.load(self.path("out")), np.exp(x), 1e-8)

    def test_third_and_fourth_derivatives(self):
        f, df, _ = waves((5, 64), 1, "<f8")
        self.save(f=f)
        for order, scheme, expected in ((3, "C6", -df), (4, "C4", f), (4, "C6", f)):
            for ends, bound in ((("--periodic",), 1e-4), ((), 2e-2)):
                options = ("--order", order, "--scheme", scheme, "--spacing", 2 * np.pi / 64, *ends)
                report = self.derive(self.path("f"), self.path("out"), *options)
                self.check(np.load(self.path("out")), expected, bound)
                self.assertEqual(report["order"], order)
                self.assertIsNone(report["warning"])
        run = self.run_derive(self.path("f"), self.path("out"), *options)
        self.assertIn("C6 of order 6, fourth derivative, closure 3-4-4-6-4-4-3", run.stdout)

    def test_transpose_is_the_adjoint(self):
        rng = np.random.default_rng(7)
        for dtype in ("<f8", "<c16"):
            for ends in ((), ("--periodic",), ("--order", 2), ("--order", 4)):
                u, v = (rng.standard_normal(self.shape).astype(dtype) for _ in range(2))
                self.save(u=u, v=v)
                options = ("--axis", 1, "--spacing", 0.25, *ends)
                report = self.derive(self.path("u"), self.path("forward"), *options)
                self.assertEqual(report["operation"], "none")
                report = self.derive(
                    self.path("v"), self.path("back"), "--transpose", "--memory", "40K", *options
                )
                self.assertEqual(report["operation"], "transpose")
                self.assertGreater(report["slabs"], 1)
                forward, back = np.load(self.path("forward")), np.load(self.path("back"))
                size = np.linalg.norm(forward) * np.linalg.norm(v)
                self.assertLess(abs(np.vdot(v, forward) - np.vdot(back, u)), 1e-12 * size)
        run = self.run_derive(self.path("u"), self.path("out"), "--spacing", 0.25, "--transpose")
        self.assertIn("its transpose", run.stdout)

    def test_slabs_are_the_whole(self):
        f, _, _ = waves(self.shape, 1, "<f8")
        for order in "CF":
            self.save(f=np.asarray(f, order=order))
            for axis in range(3):
                options = ["--axis", axis, "--spacing", 0.1, "--scheme", "C4"]
                one = self.derive(self.path("f"), self.path("one"), *options)
                many = self.derive(self.path("f"), self.path("many"), *options, "--memory", 2000)
                self.assertEqual(one["slabs"], 1)
                self.assertGreater(many["slabs"], 1)
                a, b = np.load(self.path("one")), np.load(self.path("many"))
                if DEVICE == "cuda":  # which rounds as lines lie
                    np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)
                else:
                    np.testing.assert_array_equal(a, b)

    def test_in_place(self):
        f, df, _ = waves(self.shape, 1, "<f8")
        self.save(f=f)
        self.derive(
            self.path("f"), self.path("f"), "--axis", 1, "--spacing", 2 * np.pi / 64, "--periodic"
        )
        self.check(np.load(self.path("f")), df, 1e-6)
        self.assertEqual(self.names(), ["f.npy"])

    def test_empty_batch(self):
        self.save(f=np.zeros((0, 20)))
        self.derive(self.path("f"), self.path("out"), "--spacing", 1)
        self.assertEqual(np.load(self.path("out")).shape, (0, 20))


class Hdf5(Derive):
    def setUp(self):
        super().setUp()
        if h5py is None:
            self.skipTest("h5py is not there")
        self.file = self.folder / "field.h5"
        self.f, self.df, _ = waves((9, 64, 5), 1, "<f8")
        with h5py.File(self.file, "w") as file:
            file["a/f"] = self.f
            file["a/single"] = self.f.astype("<f4")
            file["a/big"] = self.f.astype(">f8")
            file.create_dataset("a/chunked", data=self.f, chunks=(2, 16, 5), compression="gzip")
            file["whole"] = np.arange(5)
        probe = self.run_derive(f"{self.file}:/a/f", self.path("probe"), *self.options)
        if "built without HDF5" in probe.stderr:
            self.skipTest("this tridia was built without HDF5")

    options = ["--axis", 1, "--spacing", 2 * np.pi / 64, "--periodic"]

    def test_from_and_to_every_kind_of_file(self):
        for dataset, tolerance in (("f", 1e-6), ("big", 1e-6), ("chunked", 1e-6), ("single", 1e-2)):
            for memory in ("1G", "6000"):
                self.derive(
                    f"{self.file}:/a/{dataset}", self.path("out"), *self.options, "--memory", memory
                )
                out = np.load(self.path("out"))
                self.check(out.astype("<f8"), self.df, tolerance)
        self.save(f=self.f)
        new = self.folder / "new.h5"
        self.derive(self.path("f"), f"{new}:/deep/er/df", *self.options, "--memory", "6000")
        with h5py.File(new) as file:
            self.check(file["deep/er/df"][:], self.df, 1e-6)

    def test_complex_numbers(self):
        """Complex numbers are stored as h5py stores them: as a compound of r and i."""
        for dtype, tolerance in (("<c8", 1e-2), ("<c16", 1e-6), (">c16", 1e-6)):
            with self.subTest(dtype=dtype):
                f, df, _ = waves((9, 64, 5), 1, dtype)
                native = np.dtype(dtype).newbyteorder("<")
                with h5py.File(self.file, "a") as file:
                    file[f"{dtype}/f"] = f
                for memory in ("1G", "6000"):
                    out = f"{dtype}/df {memory}"
                    self.derive(f"{self.file}:/{dtype}/f", self.path("out"), *self.options,
                                "--memory", memory)
                    self.derive(f"{self.file}:/{dtype}/f", f"{self.file}:/{out}", *self.options,
                                "--memory", memory)
                    with h5py.File(self.file) as file:
                        self.check(file[out][:], df.astype(native), tolerance)
                        np.testing.assert_array_equal(file[out][:], np.load(self.path("out")))
                        np.testing.assert_array_equal(file[f"{dtype}/f"][:], f)

    def test_complex_numbers_in_another_order(self):
        """Members are found by their names."""
        f, df, _ = waves((9, 64, 5), 1, "<c16")
        turned = np.zeros(f.shape, [("i", "<f8"), ("pad", "V4"), ("r", ">f8")])[["i", "r"]]
        turned["r"], turned["i"] = f.real, f.imag
        with h5py.File(self.file, "a") as file:
            file["turned"] = turned
        self.derive(f"{self.file}:/turned", self.path("out"), *self.options)
        self.check(np.load(self.path("out")), df, 1e-6)

    def test_a_dataset_is_added_and_the_rest_stays(self):
        self.derive(f"{self.file}:/a/f", f"{self.file}:/a/df", *self.options)
        with h5py.File(self.file) as file:
            self.check(file["a/df"][:], self.df, 1e-6)
            np.testing.assert_array_equal(file["a/f"][:], self.f)
            np.testing.assert_array_equal(file["whole"][:], np.arange(5))
        self.assertEqual(sorted(self.names()), ["field.h5", "probe.npy"])

    def test_what_is_refused(self):
        text = self.folder / "text.h5"
        text.write_text("no HDF5")
        self.save(f=self.f)
        with h5py.File(self.file, "a") as file:
            for name, members in (
                ("mixed", [("r", "<f4"), ("i", "<f8")]),
                ("whole_parts", [("r", "<i8"), ("i", "<i8")]),
                ("named", [("x", "<f8"), ("y", "<f8")]),
                ("three", [("r", "<f8"), ("i", "<f8"), ("j", "<f8")]),
            ):
                file[name] = np.zeros((9, 64, 5), members)
        before = self.file.read_bytes()
        names = self.names()
        for source, target, words in (
            (f"{self.file}:/a/none", self.path("out"), ["IN", "no such dataset"]),
            (f"{self.file}", self.path("out"), ["IN", "FILE.h5:/DATASET"]),
            (f"{self.file}:", self.path("out"), ["IN", "FILE.h5:/DATASET"]),
            (f"{self.file}:/whole", self.path("out"), ["IN", "floating-point"]),
            (f"{text}:/f", self.path("out"), ["IN", "no HDF5 file"]),
            (self.folder / "none.h5:/f", self.path("out"), ["IN", "no such file"]),
            (f"{self.file}:/a/f", f"{self.file}:/whole", ["OUT", "already"]),
            (f"{self.file}:/a/f", f"{text}:/f", ["OUT", "no HDF5 file"]),
            (f"{self.file}:/a/f", self.folder / "none" / "f.h5:/f", ["OUT", "cannot be created"]),
            (f"{self.file}:/mixed", self.path("out"), ["IN", "floating-point", "r and i"]),
            (f"{self.file}:/whole_parts", self.path("out"), ["IN", "floating-point"]),
            (f"{self.file}:/named", self.path("out"), ["IN", "r and i"]),
            (f"{self.file}:/three", self.path("out"), ["IN", "r and i"]),
        ):
            with self.subTest(source=source, target=target):
                run = self.run_derive(source, target, *self.options)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                for word in words:
                    self.assertIn(word, run.stderr)
                self.assertEqual(self.names(), names)
        self.assertEqual(self.file.read_bytes(), before)


class BadInput(Derive):
    def test_a_sentence_and_no_file(self):
        self.save(f=np.zeros((20, 30)), little=np.zeros((20, 3)), point=np.float64(1))
        names = self.names()
        for source, options, words in (
            ("f", ["--scheme", "C5"], ["--scheme", "C5", "C4, C6, C8"]),
            ("f", ["--closure", "3-6-3"], ["--closure", "3-4-6-4-3"]),
            ("f", ["--closure", "3-4-6-4-3", "--periodic"], ["--closure", "--periodic"]),
            ("f", ["--spacing", "0"], ["--spacing", "0"]),
            ("f", ["--spacing", "nan"], ["--spacing", "nan"]),
            ("f", ["--spacing", "wide"], ["--spacing", "wide"]),
            ("f", ["--axis", "2"], ["--axis", "2", "(20, 30)"]),
            ("f", ["--order", "5"], ["--order", "5"]),
            ("f", ["--order", "3", "--scheme", "C4"], ["C4", "third_derivative there are C6"]),
            ("f", ["--memory", "0"], ["--memory", "0"]),
            ("little", [], ["IN", "3", "C6", "4 or more"]),
            ("point", [], ["--axis", "()"]),
            ("none", [], ["IN", "none.npy"]),
        ):
            with self.subTest(source=source, options=options):
                if "--spacing" not in options:
                    options = options + ["--spacing", "1"]
                run = self.run_derive(self.path(source), self.path("out"), *options, "--json")
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                self.assertEqual(json.loads(run.stdout)["error"]["code"], 2)
                for word in words:
                    self.assertIn(word, run.stderr)
                self.assertEqual(self.names(), names)
        run = self.run_derive(self.path("f"), self.path("out"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("--spacing", run.stderr)

    def test_cuda_where_there_is_none(self):
        info = json.loads(subprocess.run([TRIDIA, "info", "--json"], capture_output=True,
                                         text=True, check=True).stdout)
        if info["cuda_devices"]:
            self.skipTest("a GPU is there")
        self.save(f=np.zeros((20, 30)))
        run = self.run_derive(
            self.path("f"), self.path("out"), "--spacing", 1, "--device", "cuda"
        )
        self.assertEqual(run.returncode, 2, run.stderr)
        for word in ("--device", "cuda", "cpu"):
            self.assertIn(word, run.stderr)
        self.assertEqual(self.names(), ["f.npy"])

    def test_no_directory(self):
        self.save(f=np.zeros((20, 30)))
        run = self.run_derive(self.path("f"), self.folder / "none" / "out.npy", "--spacing", 1)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("OUT", run.stderr)


if __name__ == "__main__":
    unittest.main()
