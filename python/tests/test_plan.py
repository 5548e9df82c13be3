# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""tridia.Plan: strict, with every option that the library has."""

import threading

import numpy as np
import pytest
from conftest import random_array

import tridia


def diagonals(rng, shape):
    return (random_array(rng, shape, "f8"), 5 + random_array(rng, shape, "f8"),
            random_array(rng, shape, "f8"))


def test_execute(rng):
    plan = tridia.Plan((5, 9, 4), "float64", axis=1)
    dl, d, du = diagonals(rng, (5, 9, 4))
    b = random_array(rng, (5, 9, 4), "f8")
    x = plan.execute(dl, d, du, b)
    np.testing.assert_array_equal(x, tridia.solve(dl, d, du, b, axis=1))
    workspace = np.empty(plan.workspace_bytes, np.uint8)
    status = np.empty((5, 4), np.int64)
    out = np.empty_like(b)
    assert plan.execute(dl, d, du, b, out=out, workspace=workspace, status=status) is out
    np.testing.assert_array_equal(out, x)
    assert plan.systems == 20 and plan.device == "cpu" and plan.algorithm in repr(plan)
    assert plan.reason and plan.dtype == np.float64 and plan.shape == (5, 9, 4)


def test_factors(rng):
    plan = tridia.Plan((6, 8), np.float64)
    dl, d, du = diagonals(rng, (6, 8))
    b = random_array(rng, (6, 8), "f8")
    factors = plan.factor(dl, d, du)
    np.testing.assert_allclose(factors.solve(b), plan.execute(dl, d, du, b))
    assert factors.plan is plan and factors.nbytes == plan.factors_bytes > 0
    assert factors.solve(b, out=b) is b
    with pytest.raises(TypeError, match="made by"):
        tridia.Factors()


def test_right_hand_sides(rng):
    dl, d, du = diagonals(rng, (6, 8))
    b = random_array(rng, (3, 6, 8), "f8")
    plan = tridia.Plan((6, 8), "f8", right_hand_sides=3)
    np.testing.assert_allclose(plan.execute(dl, d, du, b), tridia.solve(dl, d, du, b))
    spread = np.empty((3, 2, 6, 8))[:, 0]
    plan = tridia.Plan((6, 8), "f8", right_hand_sides=3, strides={"out": (8, 1)}, steps={"out": 96})
    np.testing.assert_allclose(plan.execute(dl, d, du, b, out=spread), tridia.solve(dl, d, du, b))


def test_ragged(rng):
    offsets = [0, 3, 3, 10]
    dl, d, du = diagonals(rng, (10,))
    b = random_array(rng, (10,), "f8")
    x = tridia.Plan((10,), "f8", offsets=offsets).execute(dl, d, du, b)
    for a, e in ((0, 3), (3, 10)):
        np.testing.assert_allclose(x[a:e], tridia.solve(dl[a:e], d[a:e], du[a:e], b[a:e]))
    short = tridia.Plan((10,), "f8", offsets=offsets, short_off_diagonals=True)
    keep_l, keep_u = [1, 2, 4, 5, 6, 7, 8, 9], [0, 1, 3, 4, 5, 6, 7, 8]
    np.testing.assert_allclose(short.execute(dl[keep_l], d, du[keep_u], b), x)


def test_ragged_layouts(rng):
    lengths, offsets = (4, 2, 1), [0, 4, 6, 7]
    dl, d, du = diagonals(rng, (7,))
    b = random_array(rng, (7,), "f8")
    x = tridia.Plan((7,), "f8", offsets=offsets).execute(dl, d, du, b)
    order = [0, 4, 6, 1, 5, 2, 3]  # row 0 of all systems, row 1 of two, rows 2 and 3 of one
    packed = tridia.Plan((7,), "f8", offsets=offsets, ragged_layout="packed")
    np.testing.assert_allclose(packed.execute(*(a[order] for a in (dl, d, du, b))), x[order])
    inside = np.arange(5) < np.array(lengths)[:, None]
    lines = [np.full((3, 5), np.nan) for _ in range(4)]
    for line, a in zip(lines, (dl, d, du, b)):
        line[inside] = a
    padded = tridia.Plan((3, 5), "f8", offsets=offsets, ragged_layout="padded")
    out = np.full((3, 5), 7.0)
    np.testing.assert_allclose(padded.execute(*lines, out=out)[inside], x)
    assert (out[~inside] == 7).all()


def test_near_toeplitz(rng):
    matrix = tridia.NearToeplitz((-1, 4j, -1))
    plan = tridia.Plan((3, 7), "c16", coefficients=matrix)
    b = random_array(rng, (3, 7), "c16")
    np.testing.assert_allclose(plan.execute_constant(b), tridia.solve(-1.0, 4j, -1.0, b))
    with pytest.raises(TypeError, match="coefficients: are complex, but dtype is float64"):
        tridia.Plan((3, 7), "f8", coefficients=matrix)
    with pytest.raises(ValueError, match="constant"):
        plan.execute(b, b, b, b)


def test_it_is_strict(rng):
    plan = tridia.Plan((6, 8), np.float64)
    dl, d, du = diagonals(rng, (6, 8))
    b = np.ones((6, 8))
    for bad, kind, words in (
            (b[:5], ValueError, r"b: its shape is \(5, 8\), but the plan's is \(6, 8\)"),
            (b.astype("f4"), TypeError, "b: is of float32, but the plan is of float64"),
            (np.asfortranarray(b), ValueError, r"b: its strides .* are \(1, 6\), but .* \(8, 1\)"),
            ([[1.0] * 8] * 6, TypeError, "b: must be an array .* not list")):
        with pytest.raises(kind, match=words):
            plan.execute(dl, d, du, bad)
    with pytest.raises(ValueError, match="out: is read-only"):
        plan.execute(dl, d, du, b, out=np.broadcast_to(1.0, (6, 8)))
    frozen = b.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="out: is read-only"):
        plan.execute(dl, d, du, b, out=frozen)
    if plan.workspace_bytes:
        with pytest.raises(ValueError, match="workspace: has 1 bytes, but needs"):
            plan.execute(dl, d, du, b, workspace=np.empty(1, np.uint8))
    memory = np.zeros(100)
    with pytest.raises(ValueError, match="out"):
        plan.execute(dl, d, du, memory[:48].reshape(6, 8), out=memory[8:56].reshape(6, 8))


@pytest.mark.parametrize("arguments, kind, words", [
    (dict(shape=(2, -1)), ValueError, "shape: -1 is not from 0"),
    (dict(shape=(2**62, 2**62)), ValueError, "64-bit"),
    (dict(shape=(2**70,)), ValueError, "shape: 1180591620717411303424 is not from 0"),
    (dict(shape="ab"), TypeError, "shape: must be integers"),
    (dict(dtype="int32"), TypeError, "dtype: is int32, but must be one of"),
    (dict(dtype="nonsense"), TypeError, "dtype: 'nonsense'"),
    (dict(axis=2), ValueError, "axis: 2 is out of range"),
    (dict(axis=1.5), TypeError, "axis: must be an integer, not float"),
    (dict(coefficients="one"), ValueError, "coefficients: 'one' is none of"),
    (dict(transpose="C"), ValueError, "transpose: must be None"),
    (dict(periodic=1), TypeError, "periodic: must be True or False, not int"),
    (dict(periodic=True, short_off_diagonals=True), ValueError, "short_off_diagonals"),
    (dict(device="tpu"), ValueError, "device: 'tpu' is none of"),
    (dict(algorithm="gauss"), ValueError, "algorithm: \"gauss\" is none of"),
    (dict(algorithm="thomas"), tridia.Error, "algorithm: thomas"),
    (dict(threads=-1), ValueError, "threads: -1 is not from 0"),
    (dict(strides={"x": (1, 1)}), ValueError, "strides: has 'x', which is none of"),
    (dict(strides={"b": (1,)}), ValueError, "strides of b: has 1 entries"),
    (dict(strides=[1]), TypeError, "strides: must be a dict"),
    (dict(parameters={"depth": 1}), ValueError, "parameters: has 'depth'"),
    (dict(offsets=[0, 3]), ValueError, "offsets: a ragged batch has one axis"),
    (dict(ragged_layout="packed"), ValueError, "ragged_layout: packed is for systems of different"),
    (dict(ragged_layout="sorted"), ValueError, "ragged_layout: 'sorted' is none of"),
    (dict(right_hand_sides=-1), ValueError, "right_hand_sides: -1 is below 0"),
    (dict(tuning="nonsense"), ValueError, "."),
])
def test_bad_arguments(arguments, kind, words):
    shape, dtype = arguments.pop("shape", (4, 5)), arguments.pop("dtype", "f8")
    with pytest.raises(kind, match=words):
        tridia.Plan(shape, dtype, **arguments)


def test_threads_share_a_plan(rng):
    plan = tridia.Plan((64, 50), "f8", threads=1)
    dl, d, du = diagonals(rng, (64, 50))
    b = random_array(rng, (64, 50), "f8")
    wanted, wrong = plan.execute(dl, d, du, b), []

    def work():
        for _ in range(200):
            if not np.array_equal(plan.execute(dl, d, du, b), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
