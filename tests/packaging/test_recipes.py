#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the syntax of the recipes for Spack and conda-forge, and that what they name is there: options
of CMake, the version, the files that are installed."""

import ast
import re
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parent.parent.parent
SPACK = ROOT / "packaging/spack/package.py"
CONDA = ROOT / "packaging/conda/recipe.yaml"


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


VERSION = ".".join(re.findall(r"^#define TRIDIA_VERSION_\w+ (\d+)$", read("include/tridia/version.hpp"),
                              re.MULTILINE))


def options():
    """Returns the options that the build has."""
    files = [ROOT / "CMakeLists.txt", *(ROOT / "src").glob("*.cmake"), *(ROOT / "cmake").glob("*.cmake")]
    text = "\n".join(f.read_text(encoding="utf-8") for f in files)
    return set(re.findall(r"option\((\w+)", text)) | set(re.findall(r"set\((\w+) [^)]* CACHE", text))


class Spack(unittest.TestCase):
    def setUp(self):
        self.tree = ast.parse(SPACK.read_text(encoding="utf-8"))
        self.recipe = next(n for n in self.tree.body if isinstance(n, ast.ClassDef))
        self.directives = [n.value for n in self.recipe.body
                           if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]

    def named(self, directive):
        return [c.args[0].value for c in self.directives if c.func.id == directive]

    def test_class(self):
        self.assertEqual(self.recipe.name, "Tridia")  # Spack finds it by the folder's name
        self.assertEqual([b.id for b in self.recipe.bases], ["CMakePackage", "CudaPackage"])
        self.assertTrue(ast.get_docstring(self.recipe))

    def test_version_and_licence(self):
        self.assertEqual(self.named("version"), [VERSION])
        self.assertEqual(self.named("license"), ["BSD-3-Clause"])

    def test_variants_are_known(self):
        known = {*self.named("variant"), "cuda", "cuda_arch"}
        used = set()
        for call in ast.walk(self.recipe):
            if not isinstance(call, ast.Call):
                continue
            if getattr(call.func, "attr", "") == "define_from_variant":
                used.add(call.args[1].value)
            for keyword in call.keywords:
                if keyword.arg == "when":
                    used |= set(re.findall(r"[+~](\w+)", keyword.value.value))
        self.assertGreater(len(used), 5)
        self.assertLessEqual(used, known)

    def test_options_exist(self):
        named = {c.args[0].value for c in ast.walk(self.recipe) if isinstance(c, ast.Call)
                 and getattr(c.func, "attr", "") in ("define", "define_from_variant")}
        own = {n for n in named if n.startswith("TRIDIA_")}
        self.assertGreater(len(own), 5)
        self.assertLessEqual(own, options())

    def test_cmake_is_new_enough(self):
        wanted = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", read("CMakeLists.txt"))[1]
        self.assertIn(f"cmake@{wanted}:", self.named("depends_on"))
        self.assertIn(f"cmake >={wanted}", CONDA.read_text(encoding="utf-8"))


@unittest.skipIf(yaml is None, "there is no module yaml")
class Conda(unittest.TestCase):
    def setUp(self):
        self.recipe = yaml.safe_load(CONDA.read_text(encoding="utf-8"))

    def test_keys(self):
        self.assertEqual(list(self.recipe), ["schema_version", "context", "package", "source", "build",
                                             "requirements", "tests", "about", "extra"])
        self.assertEqual(set(self.recipe["package"]), {"name", "version"})
        self.assertEqual(self.recipe["build"]["number"], 0)
        self.assertLessEqual({"homepage", "license", "license_file", "summary"}, set(self.recipe["about"]))
        self.assertTrue(self.recipe["extra"]["recipe-maintainers"])
        self.assertIn("${{ stdlib('c') }}", self.recipe["requirements"]["build"])

    def test_version_and_licence(self):
        self.assertEqual(self.recipe["context"]["version"], VERSION)
        self.assertEqual(self.recipe["context"]["soname"], VERSION.rsplit(".", 1)[0])
        self.assertEqual(self.recipe["about"]["license"], "BSD-3-Clause")
        self.assertTrue((ROOT / self.recipe["about"]["license_file"]).exists())
        self.assertTrue((CONDA.parent / self.recipe["source"]["path"] / "CMakeLists.txt").exists())

    def test_options_exist(self):
        named = set(re.findall(r"-D(TRIDIA_\w+)=", " ".join(self.recipe["build"]["script"])))
        self.assertGreater(len(named), 3)
        self.assertLessEqual(named, options())

    def test_names_in_braces_are_known(self):
        text = CONDA.read_text(encoding="utf-8")
        names = set(re.findall(r"\$\{\{ (\w+)", text))
        self.assertLessEqual(names, {*self.recipe["context"], "compiler", "stdlib", "pin_subpackage"})

    def test_headers_exist(self):
        for test in self.recipe["tests"]:
            for header in test.get("package_contents", {}).get("include", []):
                self.assertTrue((ROOT / "include" / header).exists(), header)


if __name__ == "__main__":
    unittest.main()
