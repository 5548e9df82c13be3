# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Lists the tests of GoogleTest programs, and reads their results."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from functools import cache


def parse_list(text):
    """Returns the names of tests, from what --gtest_list_tests prints."""
    tests, suite = [], ""
    for line in text.splitlines():
        name = line.split("  # ")[0].rstrip()
        if name.startswith("  "):
            tests.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return [t for t in tests if "DISABLED_" not in t]


class NoList(Exception):
    pass


@cache
def list_tests(program, prefix=(), environment=()):
    """Returns the tests of a program, which is asked once. `environment` has pairs of name and
    value."""
    command = [*prefix, program, "--gtest_list_tests"]
    try:
        run = subprocess.run(command, env={**os.environ, **dict(environment)}, timeout=120,
                             capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError) as failure:
        raise NoList(f"{failure} {getattr(failure, 'stderr', '') or ''}") from failure
    tests = parse_list(run.stdout)
    if not tests:
        raise NoList(f"{program} has no tests")
    return tests


@dataclass
class Results:
    """Holds the results of the tests that were asked for. A test without a result, because its
    program has crashed or was stopped, is lost, which is no better than failed."""

    passed: set = field(default_factory=set)
    failed: set = field(default_factory=set)
    skipped: set = field(default_factory=set)
    lost: set = field(default_factory=set)
    seconds: dict = field(default_factory=dict)  # of each test
    properties: dict = field(default_factory=dict)  # of each test, as RecordProperty said

    def add(self, other):
        for name in ("passed", "failed", "skipped", "lost"):
            getattr(self, name).update(getattr(other, name))
        self.seconds.update(other.seconds)
        self.properties.update(other.properties)

    @property
    def bad(self):
        return self.failed | self.lost

    def only(self, wanted):
        """Returns the results of the tests for which wanted(name) is true."""
        part = Results()
        for name in ("passed", "failed", "skipped", "lost"):
            getattr(part, name).update(t for t in getattr(self, name) if wanted(t))
        part.properties = {t: p for t, p in self.properties.items() if wanted(t)}
        return part


_KNOWN = {"name", "file", "line", "status", "result", "timestamp", "time", "classname", "failures",
          "value_param", "type_param", "skipped"}


def read_results(path, expected):
    """Reads results from the file of --gtest_output=json:path, which a program writes at its
    end."""
    results = Results()
    try:
        suites = json.loads(path.read_text(encoding="utf-8"))["testsuites"]
    except (OSError, ValueError, KeyError):
        suites = []
    for test in (t for s in suites for t in s["testsuite"]):
        name = f"{test['classname']}.{test['name']}"
        if test.get("status") != "RUN":
            continue
        if test.get("failures"):
            results.failed.add(name)
        elif test.get("result") == "SKIPPED":
            results.skipped.add(name)
        else:
            results.passed.add(name)
        results.seconds[name] = float(str(test.get("time", "0")).rstrip("s"))
        results.properties[name] = {k: v for k, v in test.items() if k not in _KNOWN}
    results.lost = set(expected) - results.passed - results.failed - results.skipped
    return results
