# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Docstrings: the examples run, and every public name has a sentence and types."""

import doctest
import inspect
import typing

import numpy as np
import pytest

import tridia

PUBLIC = [getattr(tridia, name) for name in tridia.__all__]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda t: t.__name__)
def test_examples(thing):
    finder = doctest.DocTestFinder(recurse=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in finder.find(thing, globs={"np": np, "tridia": tridia}):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    assert sum(len(t.examples) for thing in PUBLIC for t in finder.find(thing)) >= 20


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda t: t.__name__)
def test_docstrings_and_types(thing):
    assert thing.__doc__
    functions = [thing] if inspect.isfunction(thing) else [
        f for name, f in vars(thing).items()
        if inspect.isfunction(f) and (name in ("__init__", "__call__") or name[0] != "_")]
    for f in functions:
        if not f.__module__.startswith("tridia"):
            continue  # what NamedTuple makes
        hints = typing.get_type_hints(f)
        parameters = [p for p in inspect.signature(f).parameters if p not in ("self", "cls")]
        assert set(parameters) <= set(hints) and "return" in hints, f.__qualname__
        assert f.__name__ == "__init__" or f.__doc__, f.__qualname__
