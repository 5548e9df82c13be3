# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Implements the command line of scripts/release-check."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from . import record
from .chroot import Chroot, bootstrap
from .releases import BUILD, BY_NAME, PACKAGES, RELEASES, SOURCE, STEPS, TEST, USER

ROOT = Path(__file__).resolve().parent.parent.parent


def make_parser():
    p = argparse.ArgumentParser(
        prog="scripts/release-check",
        description="Installs packages of tridia into clean systems, uses them, runs the README's two "
                    "commands there, and records it in tests/release_record.json.")
    p.add_argument("--release", action="append", choices=list(BY_NAME), metavar="NAME",
                   help="this release alone; may be given again: " + ", ".join(BY_NAME))
    p.add_argument("--skip-tests", action="store_true",
                   help=f"do not run {TEST}, which takes an hour on two cores; the record says so")
    p.add_argument("--skip", action="append", default=[], metavar="STEP",
                   help="do not run this step; the record says so")
    p.add_argument("--define", action="append", default=[], metavar="NAME=VALUE",
                   help="configure the packages with this, which the record says")
    p.add_argument("--packages", type=Path, metavar="DIR",
                   help="do not build packages, but take those of DIR, which were built on the same "
                        "release; the record says so")
    p.add_argument("--not-run", metavar="REASON", help="record that the releases were not run")
    p.add_argument("--work", type=Path, default=Path("/var/tmp/tridia-release-check"), metavar="DIR",
                   help="where the systems and the logs are put (default: %(default)s); clean "
                        "systems of an earlier run are used again")
    p.add_argument("--ccache", type=Path, metavar="DIR",
                   help="keep compiled files in a folder of DIR for each release")
    p.add_argument("--seconds", type=float, default=7200, help="at most, for each step")
    p.add_argument("--verify", action="store_true", help="check the record; needs no root")
    return p


def version():
    text = (ROOT / "include/tridia/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define TRIDIA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text,
                               re.MULTILINE))


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True,
                          text=True).stdout


def commit():
    changed = [line for line in git("status", "--porcelain").splitlines()
               if not line.endswith("tests/release_record.json")]
    return git("rev-parse", "HEAD").strip() + (" with changes" if changed else "")


class Check:
    """Holds one release with its chroots."""

    def __init__(self, release, arguments):
        self.release, self.arguments = release, arguments
        self.folder = arguments.work / release.name
        self.tree = self.folder / "tree"
        self.chroots = {}

    def run(self, store):
        """Does all steps, and returns the entry, which is stored after each: they take hours."""
        entry = {"version": version(), "commit": commit(), "date": record.now()}
        reason = bootstrap(self.release, self.folder / "clean")
        if reason:
            store(record.with_steps(entry, {}, reason))
            return record.with_steps(entry, {}, reason)
        self.copy_tree()
        release = (self.folder / "clean/etc/os-release").read_text(encoding="utf-8")
        entry["system"] = re.search(r'^PRETTY_NAME="(.*)"$', release, re.MULTILINE)[1]
        entry["compiled_files_kept"] = self.arguments.ccache is not None
        entry["packages_configured_with"] = self.arguments.define
        done = {}
        if self.arguments.packages:
            entry["packages_from_elsewhere"] = True
        for step in STEPS:
            done[step.name] = self.step(step, done)
            if step.name == "packages" and self.debs():
                entry["packages"] = self.packages()
            print(f"{self.release.name}: {step.name}: {done[step.name]}", flush=True)
            store(record.with_steps(entry, done, "it was not reached"))
        return record.with_steps(entry, done, "it was not reached")

    def copy_tree(self):
        """Copies the sources once, so that all steps are of the commit that is recorded."""
        shutil.rmtree(self.tree, ignore_errors=True)
        for name in git("ls-files", "--cached", "--others", "--exclude-standard").splitlines():
            if (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)

    def step(self, step, done):
        if step.name in self.arguments.skip or (step.name == TEST and self.arguments.skip_tests):
            return record.not_run("it was skipped by an option")
        if step.name == "packages" and self.arguments.packages:
            return record.not_run("packages were taken that had been built on such a system before")
        for name in record.needs_of(step, self.arguments.packages is not None):
            if done[name]["verdict"] != record.PASSED:
                return record.not_run(f"{name} did not pass")
        name = re.sub(r"\W+", "-", step.name)
        return record.ran(*self.chroot(step.where).run(
            step.script, self.arguments.work / "logs" / f"{self.release.name}-{name}.log",
            self.arguments.seconds))

    def chroot(self, where):
        if where not in self.chroots:
            cache = None
            if self.arguments.ccache and where != "user":
                cache = (self.arguments.ccache / self.release.suite).resolve()
                cache.mkdir(parents=True, exist_ok=True)
            new = Chroot(self.folder / "clean", self.folder / where, cache)
            new.environment["DEFINES"] = " ".join(f"-D{d}" for d in self.arguments.define)
            if where == "user":
                self.fill_user(new)
            else:
                new.put(self.tree, SOURCE)
            setup = "apt-get update -qq"
            if cache:
                setup += " && apt-get install -qq -y --no-install-recommends ccache >/dev/null"
            code, output, _ = new.run(setup, self.arguments.work / "logs" /
                                      f"{self.release.name}-{where}.log", self.arguments.seconds)
            if code != 0:
                raise SystemExit(f"{self.release.name}: apt-get: {output}")
            self.chroots[where] = new
        return self.chroots[where]

    def debs(self):
        folder = self.arguments.packages
        if folder is None:
            folder = self.chroots["build"].path(f"{BUILD}/packages")
        return sorted(folder.glob("*.deb"))

    def fill_user(self, chroot):
        """Gives a user the packages, and programs that use them."""
        for deb in self.debs():
            chroot.put(deb, f"{PACKAGES}/{deb.name}")
        for name in ("examples", "tests/package/outside", "tests/c_api/mpi_program.c"):
            chroot.put(self.tree / name, f"{USER}/{Path(name).name}")

    def packages(self):
        """Returns what the packages say of themselves."""
        found = {}
        for deb in self.debs():
            text = subprocess.run(["dpkg-deb", "--showformat",
                                   "${Package}\\n${Version}\\n${Depends}\\n", "--show", str(deb)],
                                  check=True, capture_output=True, text=True).stdout
            name, its_version, depends = text.split("\n")[:3]
            found[name] = {"version": its_version, "depends": depends, "bytes": deb.stat().st_size}
        return found

    def clear(self):
        for chroot in self.chroots.values():
            shutil.rmtree(chroot.folder, ignore_errors=True)


def verify(path):
    errors, warnings = record.judge(record.load(path), version())
    for warning in warnings:
        print(warning)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def main(argv=None):
    arguments = make_parser().parse_args(argv)
    path = ROOT / "tests/release_record.json"
    if arguments.verify:
        return verify(path)
    names = arguments.release or [r.name for r in RELEASES]
    entries = {}
    for name in names:
        def store(entry, name=name):
            record.store(path, {**record.load(path), name: entry})

        if arguments.not_run:
            head = {"version": version(), "commit": commit(), "date": record.now()}
            entries[name] = record.with_steps(head, {}, arguments.not_run)
            store(entries[name])
        else:
            if os.geteuid() != 0:
                raise SystemExit("scripts/release-check needs root, for debootstrap and chroot")
            check = Check(BY_NAME[name], arguments)
            entries[name] = check.run(store)
            check.clear()
    failed = [n for n in names if record.verdict_of(entries[n]) == record.FAILED]
    if failed:
        print(f"failed: {', '.join(failed)}; logs are in {arguments.work / 'logs'}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
