#!/usr/bin/env python3
# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests the record of scripts/release-check: what it accepts, what it does not, and how steps are run.
No chroot is needed."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from release_record import chroot, command, record, releases  # noqa: E402


def good():
    """Returns a record of which all was run."""
    entry = {"version": "0.2.0", "commit": "a" * 40, "date": "2026-11-26T05:00:00Z",
             "packages": {name: {"version": "0.2.0-1~12", "depends": "libc6", "bytes": 100}
                          for name in ("libtridia0.2", "libtridia-dev", "tridia-tools")},
             "steps": {name: {"verdict": record.PASSED, "seconds": 1.5, "said": "1.000000"}
                       for name in releases.STEP_NAMES}}
    return {r.name: copy.deepcopy(entry) for r in releases.RELEASES}


class Judge(unittest.TestCase):
    def errors(self, entries):
        return record.judge(entries, "0.2.0")[0]

    def test_accepts_what_was_run(self):
        self.assertEqual(record.judge(good(), "0.2.0"), ([], []))

    def test_accepts_loudly_what_was_not_run(self):
        entries = good()
        entries["debian-13"]["steps"][releases.TEST] = record.not_run("it was skipped by an option")
        errors, warnings = record.judge(entries, "0.2.0")
        self.assertEqual(errors, [])
        self.assertEqual(warnings, ["debian-13: NOT RUN: scripts/test: it was skipped by an option"])
        entries["debian-13"]["steps"][releases.TEST]["reason"] = " "
        self.assertEqual(len(self.errors(entries)), 1)

    def test_refuses(self):
        def change(path, value):
            entries = good()
            at = entries["debian-12"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            return self.errors(entries)

        first = releases.STEP_NAMES[0]
        for path, value in ((["version"], "0.1.0"), (["commit"], "HEAD"), (["date"], "today"),
                            (["packages"], {}), (["steps", first, "verdict"], record.FAILED),
                            (["steps", first, "verdict"], "well"), (["steps", first, "seconds"], -1),
                            (["steps", first, "said"], ""), (["steps", "more"], record.not_run("x"))):
            with self.subTest(path=path, value=value):
                self.assertTrue(change(path, value))
        entries = good()
        del entries["debian-12"]["steps"][releases.TEST]
        self.assertTrue(self.errors(entries))
        del entries["debian-12"]
        self.assertIn("debian-12: there is no entry", self.errors(entries))

    def test_refuses_what_cannot_have_passed(self):
        entries = good()
        entries["debian-12"]["steps"]["packages"] = record.not_run("there was no time")
        wrong = self.errors(entries)
        self.assertIn("debian-12: install: it passed, though packages did not", wrong)
        entries["debian-12"]["packages_from_elsewhere"] = True
        self.assertEqual(self.errors(entries), [])
        del entries["debian-12"]["packages"]
        self.assertEqual(self.errors(entries), ["debian-12: it names no packages"])

    def test_verdicts(self):
        entry = good()["debian-12"]
        self.assertEqual(record.verdict_of(entry), record.PASSED)
        entry["steps"]["doctor"] = record.ran(1, "no\n", 2)
        self.assertEqual(record.verdict_of(entry), record.FAILED)
        head = {k: entry[k] for k in ("version", "commit", "date")}
        nothing = record.with_steps(head, {}, "no mirror answers")
        self.assertEqual(record.verdict_of(nothing), record.NOT_RUN)
        self.assertEqual(self.errors({**good(), "debian-12": nothing}), [])


class Steps(unittest.TestCase):
    def test_what_a_step_says(self):
        self.assertEqual(record.ran(0, "first\n  last \n\n", 1.26),
                         {"verdict": record.PASSED, "seconds": 1.3, "said": "last"})
        failed = record.ran(None, "a\nb\n", 7200)
        self.assertEqual((failed["verdict"], failed["code"], failed["lines"]),
                         (record.FAILED, None, ["a", "b"]))

    def test_readme_commands_are_those_of_the_readme(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        for name in (releases.QUICKSTART, releases.TEST):
            self.assertIn(f"\n{name} ", readme)
            self.assertIn(name, releases.STEP_NAMES)
            self.assertTrue((ROOT / name).exists())

    def test_programs_exist(self):
        text = "".join(s.script for s in releases.STEPS)
        for name in ("examples/c/solve.c", "examples/fortran/solve.f90", "examples/fortran/ranks.f90"):
            self.assertIn(name, text)
            self.assertTrue((ROOT / name).exists())
        for source in (ROOT / "fortran").glob("*.f90"):
            self.assertIn(f"/{source.name}", text)
        for source in (ROOT / "fortran").glob("*.c"):
            self.assertIn(f"/{source.name}", text)

    def test_scripts_are_of_sh(self):
        for step in releases.STEPS:
            subprocess.run(["sh", "-n", "-c", step.script], check=True)

    def test_dependencies_come_first(self):
        for k, step in enumerate(releases.STEPS):
            self.assertLessEqual(set(step.after), set(releases.STEP_NAMES[:k]))

    def test_without_keys_a_release_is_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            release = releases.Release("x", "x", "http://localhost", f"{folder}/none.gpg")
            with mock.patch.object(chroot.shutil, "which", return_value="/usr/sbin/debootstrap"):
                self.assertIn("none.gpg", chroot.bootstrap(release, Path(folder) / "clean"))
            with mock.patch.object(chroot.shutil, "which", return_value=None):
                self.assertEqual(chroot.bootstrap(release, Path(folder) / "clean"),
                                 "debootstrap is not installed")

    def test_steps_of_a_release(self):
        """A step that fails stops those that need it, and no other."""
        class Fake:
            def __init__(self, *_):
                self.environment = {}

            def run(self, script, log, seconds):
                return (1 if "cpack" in script else 0), f"{log.name}\n", 0.5

        with tempfile.TemporaryDirectory() as folder:
            clean = Path(folder) / "debian-12/clean/etc"
            clean.mkdir(parents=True)
            (clean / "os-release").write_text('PRETTY_NAME="Debian 12"\n', encoding="utf-8")
            arguments = command.make_parser().parse_args(["--work", folder, "--skip-tests"])
            check = command.Check(releases.BY_NAME["debian-12"], arguments)
            check.chroots = {name: Fake() for name in ("build", "user", "readme")}
            check.debs = lambda: []
            check.copy_tree = lambda: None
            with mock.patch.object(command, "bootstrap", return_value=None), \
                    mock.patch.object(command, "commit", return_value="a" * 40), \
                    mock.patch("builtins.print"):
                stored = []
                entry = check.run(stored.append)
        self.assertEqual(len(stored), len(releases.STEPS))
        self.assertEqual(stored[-1], entry)
        self.assertEqual(stored[0]["steps"][releases.TEST], record.not_run("it was not reached"))
        verdicts = {name: s["verdict"] for name, s in entry["steps"].items()}
        self.assertEqual(list(verdicts), list(releases.STEP_NAMES))
        self.assertEqual(verdicts["packages"], record.FAILED)
        self.assertEqual(verdicts["install"], record.NOT_RUN)
        self.assertEqual(entry["steps"]["install"]["reason"], "packages did not pass")
        self.assertEqual(verdicts[releases.QUICKSTART], record.PASSED)
        self.assertEqual(verdicts[releases.TEST], record.NOT_RUN)
        self.assertEqual(entry["system"], "Debian 12")

    def test_the_record_is_written_in_order(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "record.json"
            record.store(path, dict(reversed(good().items())))
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(list(stored["releases"]), list(releases.BY_NAME))
            self.assertEqual(record.load(path), good())


if __name__ == "__main__":
    unittest.main()
