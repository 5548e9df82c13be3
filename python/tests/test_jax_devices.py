# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests what XLA makes of calls of tridia.jax: one call under vmap, no exchange of sharded systems.
conftest.py makes the four devices."""

import re

import numpy as np
import pytest

from jax_support import jax, jnp, random_systems, solve_dense
import tridia.jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

N = 16
EXCHANGES = "all-gather", "all-reduce", "all-to-all", "collective-permute"


def compiled(function, *arrays):
    return jax.jit(function).lower(*arrays).compile().as_text()


def calls_in(text, target="tridia_solve"):
    return text.count(f'custom_call_target="{target}"')


def exchanges_in(text):
    return {name for name in EXCHANGES if re.search(rf"\b{name}(-start)?\(", text)}


def mesh_of(**axes):
    devices = jax.devices("cpu")
    assert len(devices) == 4
    return Mesh(np.array(devices).reshape(tuple(axes.values())), tuple(axes))


def split(array, mesh, *spec):
    return jax.device_put(np.asarray(array), NamedSharding(mesh, P(*spec)))


def test_nested_vmap_is_one_call_and_copies_no_matrix():
    dl, d, du, b = random_systems((3, 8, N), (N,))
    one = lambda dl, d, du, b: tridia.jax.solve(dl, d, du, b)
    unmapped = (None, None, None)
    nested = jax.vmap(jax.vmap(one, (*unmapped, 0)), (*unmapped, 0))
    text = compiled(nested, dl, d, du, b)
    assert calls_in(text) == 1
    assert not re.search(r"\b(copy|transpose|broadcast)\(", text)
    call, = (line for line in text.splitlines() if "tridia_solve" in line)
    assert f"f64[3,8,{N}]" in call and text.count(f"f64[1,1,{N}]") >= 3
    np.testing.assert_allclose(nested(dl, d, du, b), solve_dense(dl, d, du, b), atol=1e-12)


def test_vmap_along_other_axes_moves_nothing():
    dl, d, du, b = random_systems((3, 8, N), (N,))
    one = lambda b: tridia.jax.solve(dl, d, du, b)
    nested = jax.vmap(jax.vmap(one, in_axes=1, out_axes=1), in_axes=2, out_axes=2)
    moved = jnp.moveaxis(b, -1, 0)
    text = compiled(nested, moved)
    assert calls_in(text) == 1 and not re.search(r"\b(copy|transpose)\(", text)
    np.testing.assert_allclose(nested(moved), jnp.moveaxis(one(b), -1, 0), atol=1e-12)


@pytest.mark.parametrize("mapped", [(0, 0, 0, 0), (None, 0, None, 0), (0, None, None, None),
                                    (None, 1, None, 0)])
def test_vmap_of_some_operands(mapped):
    dl, d, du, b = random_systems((5, N))
    operands = [a if at == 0 else a.T if at == 1 else a[0]
                for a, at in zip((dl, d, du, b), mapped)]
    back = [a.T if at == 1 else a for a, at in zip(operands, mapped)]
    x = jax.vmap(lambda *a: tridia.jax.solve(*a), in_axes=mapped)(*operands)
    np.testing.assert_allclose(x, solve_dense(*back), atol=1e-12)


def test_gradient_under_vmap_is_two_calls():
    dl, d, du, b = random_systems((3, 8, N), (N,))
    loss = lambda d, b: jnp.sum(tridia.jax.solve(dl, d, du, b) ** 2)
    text = compiled(jax.vmap(jax.vmap(jax.grad(loss, (0, 1)), (None, 0)), (None, 0)), d, b)
    assert calls_in(text) == 1 and calls_in(text, "tridia_backward") == 1


@pytest.mark.parametrize("matrix_shape", [(N,), (8, 3, N), (8, 1, N)])
def test_sharded_systems_stay_where_they_are(matrix_shape):
    mesh = mesh_of(i=4)
    dl, d, du, b = random_systems((8, 3, N), matrix_shape)
    solve = lambda *a: tridia.jax.solve(*a)
    spread = [split(a, mesh, "i") if a.ndim == 3 else a for a in (dl, d, du, b)]
    text = compiled(solve, *spread)
    assert calls_in(text) == 1 and not exchanges_in(text) and f"f64[2,3,{N}]" in text
    x = jax.jit(solve)(*spread)
    assert x.sharding.spec == P("i")
    np.testing.assert_allclose(x, solve_dense(dl, d, du, b), atol=1e-12)


@pytest.mark.parametrize("matrix_shape", [(N,), (8, 3, N)])
def test_gradients_of_sharded_systems(matrix_shape):
    mesh = mesh_of(i=4)
    dl, d, du, b = random_systems((8, 3, N), matrix_shape)
    spread = [split(a, mesh, "i") if a.ndim == 3 else a for a in (dl, d, du, b)]
    gradient = jax.grad(lambda *a: jnp.sum(tridia.jax.solve(*a) ** 2), argnums=(0, 1, 2, 3))
    # The sum over systems that share a matrix is all that crosses devices.
    text = compiled(gradient, *spread)
    assert calls_in(text) == 1 and calls_in(text, "tridia_backward") == 1
    assert exchanges_in(text) == ({"all-reduce"} if len(matrix_shape) == 1 else set())
    for a, e in zip(gradient(*spread), gradient(dl, d, du, b)):
        np.testing.assert_allclose(a, e, atol=1e-12)


@pytest.mark.parametrize("shape", [(8, 4, N), (8, 1, N), (1, 4, N), (1, 1, N)])
def test_gradients_on_a_two_dimensional_mesh(shape):
    """Each gradient is summed over the axes that its diagonal is shared along, split or not."""
    mesh = mesh_of(i=2, j=2)
    dl, d, du, b = random_systems((8, 4, N), shape)
    dl = dl[:1]
    spread = (dl, split(d, mesh, "i" if shape[0] > 1 else None), du, split(b, mesh, "i", "j"))
    gradient = jax.grad(lambda *a: jnp.sum(tridia.jax.solve(*a) ** 2), argnums=(0, 1, 2, 3))
    assert "all-gather" not in exchanges_in(compiled(gradient, *spread))
    for a, e in zip(jax.jit(gradient)(*spread), gradient(dl, d, du, b)):
        np.testing.assert_allclose(a, e, atol=1e-12)


def test_two_dimensional_mesh_and_another_axis():
    mesh = mesh_of(i=2, j=2)
    dl, d, du, b = random_systems((8, 4, N), (8, 1, N))
    moved = [jnp.moveaxis(a, -1, 0) for a in (dl, d, du, b)]
    solve = lambda *a: tridia.jax.solve(*a, axis=0)
    spread = (moved[0], split(moved[1], mesh, None, "i"), moved[2],
              split(moved[3], mesh, None, "i", "j"))
    assert not exchanges_in(compiled(solve, *spread))
    x = jax.jit(solve)(*spread)
    assert x.sharding.spec == P(None, "i", "j")
    np.testing.assert_allclose(jnp.moveaxis(x, 0, -1), solve_dense(dl, d, du, b), atol=1e-12)


def test_systems_that_cross_devices_are_still_right():
    mesh = mesh_of(i=4)
    dl, d, du, b = random_systems((3, N), (N,))
    x = jax.jit(tridia.jax.solve)(dl, d, du, split(b, mesh, None, "i"))
    np.testing.assert_allclose(x, solve_dense(dl, d, du, b), atol=1e-12)


def test_vmap_of_sharded_systems():
    mesh = mesh_of(i=4)
    dl, d, du, b = random_systems((8, 3, N), (N,))
    mapped = jax.vmap(lambda b: tridia.jax.solve(dl, d, du, b))
    spread = split(b, mesh, "i")
    assert not exchanges_in(compiled(mapped, spread))
    np.testing.assert_allclose(mapped(spread), solve_dense(dl, d, du, b), atol=1e-12)


@pytest.mark.parametrize("operator", [
    lambda f: tridia.jax.derivative(f, periodic=True), tridia.jax.interpolate, tridia.jax.filter])
def test_sharded_operators(operator):
    f = random_systems((8, 3, N))[3]
    spread = split(f, mesh_of(i=4), "i")
    text = compiled(operator, spread)
    assert calls_in(text, "tridia_operator") == 1 and not exchanges_in(text)
    np.testing.assert_allclose(operator(spread), operator(f), atol=1e-13)
    gradient = jax.grad(lambda f: jnp.sum(operator(f) ** 2))
    assert not exchanges_in(compiled(gradient, spread))
    np.testing.assert_allclose(gradient(spread), gradient(f), atol=1e-12)


def shard_map():
    if hasattr(jax, "shard_map"):
        return jax.shard_map
    return pytest.importorskip("jax.experimental.shard_map").shard_map


def test_shard_map():
    mesh = mesh_of(i=4)
    dl, d, du, b = random_systems((8, 3, N), (N,))
    solve = lambda *a: tridia.jax.solve(*a)
    mapped = shard_map()(solve, mesh=mesh, in_specs=(P(), P(), P(), P("i")), out_specs=P("i"))
    assert not exchanges_in(compiled(mapped, dl, d, du, split(b, mesh, "i")))
    np.testing.assert_allclose(mapped(dl, d, du, b), solve_dense(dl, d, du, b), atol=1e-12)
    losses = (lambda *a: jnp.sum(mapped(*a) ** 2)), (lambda *a: jnp.sum(solve(*a) ** 2))
    for a, e in zip(*(jax.grad(loss, (0, 1, 2, 3))(dl, d, du, b) for loss in losses)):
        np.testing.assert_allclose(a, e, atol=1e-12)
    derivative = lambda f: tridia.jax.derivative(f, periodic=True)
    mapped = shard_map()(derivative, mesh=mesh, in_specs=(P("i"),), out_specs=P("i"))
    np.testing.assert_allclose(mapped(b), derivative(b), atol=1e-13)


def test_explicit_mesh():
    """The type of an array says how it is split, where the axes of a mesh are explicit."""
    kinds = getattr(jax.sharding, "AxisType", None)
    if kinds is None or not hasattr(jax, "set_mesh"):
        pytest.skip("this jax has no explicit meshes")
    mesh = jax.make_mesh((4,), ("i",), axis_types=(kinds.Explicit,), devices=jax.devices("cpu"))
    dl, d, du, b = random_systems((8, 3, N), (N,))
    with jax.set_mesh(mesh):
        spread = jax.device_put(b, NamedSharding(mesh, P("i")))
        text = compiled(lambda b: tridia.jax.solve(dl, d, du, b), spread)
        assert not exchanges_in(text)
        x = tridia.jax.solve(dl, d, du, spread)
        assert jax.typeof(x).sharding.spec[0] == "i"
        crossing = jax.device_put(b[:, 0], NamedSharding(mesh, P(None, "i")))
        middle = tridia.jax.interpolate(crossing)
    np.testing.assert_allclose(x, solve_dense(dl, d, du, b), atol=1e-12)
    np.testing.assert_allclose(middle, tridia.jax.interpolate(b[:, 0]), atol=1e-12)
