# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments of the one-call forms: a sentence with the name and both values, and no work."""

import numpy as np
import pytest

import tridia

B = np.ones((3, 4))


@pytest.mark.parametrize("changes, kind, words", [
    (dict(d=np.ones((3, 5))), ValueError, r"d: its shape \(3, 5\) .* that of b, \(3, 4\)"),
    (dict(dl=np.ones((3, 2))), ValueError, r"dl: its shape \(3, 2\) .* 2 entries along the axis"),
    (dict(du=np.ones((2, 4))), ValueError, r"du: its shape \(2, 4\) .* each extent"),
    (dict(dl=np.ones((3, 3)), du=np.ones((3, 3)), periodic=True), ValueError, "dl: its shape"),
    (dict(axis=2), ValueError, "axis: 2 is out of range for 2 axes"),
    (dict(axis=None), TypeError, "axis: must be an integer, not NoneType"),
    (dict(axis=2**80), ValueError, "axis: 1208925819614629174706176 does not fit 64 bits"),
    (dict(periodic="no"), TypeError, "periodic: must be True or False, not str"),
    (dict(transpose=True), ValueError, "transpose: must be None, \"T\" or \"H\", not True"),
    (dict(out=np.ones((4, 3))), ValueError, r"out: its shape is \(4, 3\), but .* \(3, 4\)"),
    (dict(out=np.ones((3, 4), "f4")), TypeError, "out: is of float32, but b is of float64"),
    (dict(out=[[0.0] * 4] * 3), TypeError, "out: must be an array"),
    (dict(out=np.broadcast_to(1.0, (3, 4))), ValueError, "out: is read-only"),
    (dict(status=np.ones(3)), TypeError, "status: is of float64, not int64"),
    (dict(status=np.ones(4, int)), ValueError, r"status: its shape is \(4,\), but .* \(3,\)"),
    (dict(status=np.ones(6, int)[::2]), ValueError, "status: is not dense"),
    (dict(algorithm="gauss"), ValueError, 'algorithm: "gauss" is none of automatic, thomas'),
    (dict(algorithm=3), TypeError, "algorithm: must be None or a name"),
    (dict(threads=-2), ValueError, "threads: -2 is not from 0"),
    (dict(stream=7), ValueError, "stream: 7 was given, but the arrays are on the CPU"),
    (dict(b="text"), TypeError, "b: must be an array .* not str"),
    (dict(b=None), TypeError, "b: is of object"),
    (dict(d=object()), TypeError, "d: must be an array .* not object"),
    (dict(b=np.ones((3, 4), "g")), TypeError, "b: is of "),
    (dict(b=np.ones((3, 4), "M8[s]")), TypeError, "b: is of datetime64"),
    (dict(b=np.array([["a"] * 4] * 3)), TypeError, "b: is of <U1"),
    (dict(b=np.ones((3, 4), object)), TypeError, "b: is of object"),
    (dict(b=1.0, dl=1.0, d=4.0, du=1.0), ValueError, "b: has no axis"),
    (dict(b=np.ma.masked_array(B, B > 2)), TypeError, "b: is a masked array"),
])
def test_solve_refuses(changes, kind, words):
    arguments = dict(dl=-B, d=4 * B, du=-B, b=B.copy()) | changes
    arrays = [arguments.pop(k) for k in ("dl", "d", "du", "b")]
    before = np.copy(arguments["out"]) if isinstance(arguments.get("out"), np.ndarray) else None
    with pytest.raises(kind, match=words):
        tridia.solve(*arrays, **arguments)
    if before is not None:
        np.testing.assert_array_equal(arguments["out"], before)


def test_overlap():
    memory = np.ones(20)
    for out in (memory[1:13].reshape(3, 4), memory[:12].reshape(4, 3).T):
        with pytest.raises(ValueError, match="out: "):
            tridia.solve(-B, 4 * B, -B, memory[:12].reshape(3, 4), out=out)
    assert (memory == 1).all()


def test_memory_that_is_no_array_of_elements():
    records = np.zeros((3, 4), dtype=[("a", "f8"), ("b", "i4")])
    np.testing.assert_allclose(tridia.solve(-B, 4 * B, -B, records["a"]), 0)
    with pytest.raises(ValueError, match="out: its stride of .* is no multiple"):
        tridia.solve(-B, 4 * B, -B, B, out=records["a"])
    moved = np.zeros(8 * 12 + 1, np.uint8)[1:].view("f8").reshape(3, 4)
    np.testing.assert_allclose(tridia.solve(-B, 4 * B, -B, moved), 0)
    with pytest.raises(ValueError, match="out: its memory is not aligned to 8 bytes"):
        tridia.solve(-B, 4 * B, -B, B, out=moved)


def test_factor_refuses():
    with pytest.raises(ValueError, match="shape"):
        tridia.factor(-B, 4 * B, -B, shape=(3, 5))
    with pytest.raises(ValueError, match="shape"):
        tridia.factor(-B, 4 * B, -B, shape=(4,))
    with pytest.raises(tridia.SingularError):
        tridia.factor(0 * B, 0 * B, 0 * B)
    with pytest.raises(ValueError, match="b: its shape"):
        tridia.factor(-B, 4 * B, -B).solve(np.ones(4))


def test_near_toeplitz_refuses():
    with pytest.raises(ValueError, match="interior: a row is"):
        tridia.NearToeplitz((1, 2))
    with pytest.raises(TypeError, match="head: a row is three numbers"):
        tridia.NearToeplitz((1, 2, 3), [("a", None, 1)])
    with pytest.raises(ValueError, match="out: its shape"):
        tridia.NearToeplitz((1, 4, 1)).solve(np.ones(4), out=np.ones(5))
    with pytest.raises(ValueError, match="axis: 3 is out of range"):
        tridia.NearToeplitz((1, 4, 1)).solve(np.ones(4), axis=3)
