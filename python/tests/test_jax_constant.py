# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests matrices of constants, and solve_banded, on arrays of JAX."""

import numpy as np
import pytest

from jax_support import jax, jnp, random_array
import tridia
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from jax.test_util import check_grads

RNG = np.random.default_rng(5)
REAL = tridia.NearToeplitz((-1, 4, 2), head=[(3, 5, -1), (1, 6, 1)], tail=[(-2, 5, 7)])
COMPLEX = tridia.NearToeplitz((-1, 4 + 1j, 2j), tail=[(-2j, 5, 1)])


@pytest.mark.parametrize("matrix", [REAL, COMPLEX])
@pytest.mark.parametrize("options", [
    {}, {"periodic": True}, {"transpose": "T"}, {"transpose": "H"}, {"axis": 0},
    {"periodic": True, "transpose": "H", "axis": 0}, {"pivoting": False}])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_as_on_arrays_of_numpy(matrix, options, dtype):
    b = random_array(RNG, (7, 8), dtype)
    x = matrix.solve(b, **options)
    assert isinstance(x, jax.Array)
    np.testing.assert_allclose(x, matrix.solve(np.asarray(b), **options), atol=1e-13)


@pytest.mark.parametrize("transpose", [None, "T", "H"])
def test_derivatives(transpose):
    b = random_array(RNG, (2, 6), np.complex128)
    check_grads(lambda b: COMPLEX.solve(b, transpose=transpose), (b,), order=2,
                modes=("fwd", "rev"))


def test_vmap_is_one_call():
    b = random_array(RNG, (4, 5, 6))
    mapped = jax.jit(jax.vmap(jax.vmap(REAL.solve, in_axes=1, out_axes=1)))
    text = mapped.lower(b).compile().as_text()
    assert text.count('custom_call_target="tridia_constant"') == 1 and " copy(" not in text
    expected = REAL.solve(jnp.moveaxis(b, 1, 2))
    np.testing.assert_allclose(mapped(b), jnp.moveaxis(expected, 2, 1), atol=1e-14)


def test_sharded_right_hand_sides():
    mesh = Mesh(np.array(jax.devices("cpu")), ("i",))
    b = random_array(RNG, (8, 3, 6))
    spread = jax.device_put(np.asarray(b), NamedSharding(mesh, P("i")))
    gradient = jax.jit(jax.grad(lambda b: jnp.sum(REAL.solve(b) ** 2)))
    text = gradient.lower(spread).compile().as_text()
    assert text.count('custom_call_target="tridia_constant"') == 2 and "all-" not in text
    np.testing.assert_allclose(gradient(spread), gradient(b), atol=1e-13)


@pytest.mark.parametrize("call, kind, words", [
    (lambda b: REAL.solve(b, axis=3), ValueError, "axis: 3 is out of range for 1 axis"),
    (lambda b: REAL.solve(b, algorithm="thomas"), TypeError, "algorithm: "),
    (lambda b: REAL.solve(b, out=b), TypeError, "out: is not for arrays of JAX"),
    (lambda b: tridia.NearToeplitz((1, 0, 1)).solve(b), tridia.SingularError, "pivot"),
    (lambda b: tridia.solve_banded((1, 1), jnp.ones((2, 5)), b), ValueError, "ab: its shape is"),
    (lambda b: tridia.solve_banded((2, 1), jnp.ones((3, 5)), b), ValueError, "l_and_u: "),
    (lambda b: tridia.solve_banded((1, 1), jnp.ones((3, 4)), b), ValueError, "b: its shape"),
])
def test_bad_arguments(call, kind, words):
    with pytest.raises(kind, match=words):
        call(jnp.ones(5))


@pytest.mark.parametrize("shapes", [((3, 6), (6,)), ((3, 6), (6, 2)), ((4, 3, 6), (4, 6, 2))])
def test_solve_banded(shapes):
    ab, b = (random_array(RNG, s) for s in shapes)
    ab = ab.at[..., 1, :].add(5)
    expected = tridia.solve_banded((1, 1), np.asarray(ab), np.asarray(b))
    np.testing.assert_allclose(tridia.solve_banded((1, 1), ab, b), expected, atol=1e-13)
    gradient = jax.grad(lambda ab: jnp.sum(tridia.solve_banded((1, 1), ab, b)))(ab)
    assert (gradient[..., 0, 0] == 0).all() and (gradient[..., 2, -1] == 0).all()
