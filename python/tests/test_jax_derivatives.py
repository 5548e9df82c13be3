# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tests the derivatives of tridia.jax: both modes, first and second order."""

import numpy as np
import pytest

from jax_support import jax, jnp, random_array, random_systems
import tridia.jax

check_grads = pytest.importorskip("jax.test_util").check_grads
BOTH = ("fwd", "rev")


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("transpose", [None, "T", "H"])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("matrix_shape", [(5,), (2, 5)])
def test_solve(dtype, transpose, periodic, matrix_shape):
    systems = random_systems((2, 5), matrix_shape, dtype)
    check_grads(lambda *a: tridia.jax.solve(*a, periodic=periodic, transpose=transpose), systems,
                order=2, modes=BOTH)


@pytest.mark.parametrize("shapes", [
    ((1,), (2, 1), (), (2, 4)),        # broadcast along the systems
    ((4,), (3, 1, 4), (2, 4), (2, 4)),  # more matrices than right-hand sides
    ((3,), (2, 4), (2, 3), (2, 4)),    # short off-diagonals
    ((1,), (1,), (1,), (1,)),          # one row
    ((2,), (2,), (2,), (2,)),
])
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("transpose", [None, "H"])
def test_broadcast_operands(shapes, periodic, transpose):
    if periodic and shapes[0] == (3,):
        pytest.skip("periodic systems have no short off-diagonals")
    rng = np.random.default_rng(1)
    dl, d, du, b = (random_array(rng, s, np.complex128) for s in shapes)
    check_grads(lambda *a: tridia.jax.solve(*a, periodic=periodic, transpose=transpose),
                (dl, d + 5, du, b), order=2, modes=BOTH)


@pytest.mark.parametrize("transpose", [None, "T", "H"])
def test_entries_outside_the_matrix_have_gradient_zero(transpose):
    systems = random_systems((3, 6), dtype=np.complex128)

    def loss(*a, **options):
        return jnp.sum(jnp.abs(tridia.jax.solve(*a, transpose=transpose, **options)) ** 2)

    dl, _, du, _ = jax.grad(loss, argnums=(0, 1, 2, 3))(*systems)
    assert (dl[:, 0] == 0).all() and (du[:, -1] == 0).all()
    assert (dl[:, 1:] != 0).all() and (du[:, :-1] != 0).all()
    dl, _, du, _ = jax.grad(lambda *a: loss(*a, periodic=True), argnums=(0, 1, 2, 3))(*systems)
    assert (dl != 0).all() and (du != 0).all()


def test_axis_and_vmap_of_gradients():
    dl, d, du, b = random_systems((3, 4, 5))
    loss = lambda *a: jnp.sum(tridia.jax.solve(*a) ** 2)
    at_once = jax.grad(loss, argnums=(0, 1, 2, 3))(dl, d, du, b)
    mapped = jax.vmap(jax.grad(loss, argnums=(0, 1, 2, 3)))(dl, d, du, b)
    for a, m in zip(at_once, mapped):
        np.testing.assert_allclose(a, m, atol=1e-13)
    first = [jnp.moveaxis(a, -1, 0) for a in (dl, d, du, b)]
    by_axis = jax.grad(lambda *a: jnp.sum(tridia.jax.solve(*a, axis=0) ** 2), argnums=1)(*first)
    np.testing.assert_allclose(jnp.moveaxis(by_axis, 0, -1), at_once[1], atol=1e-13)


def test_jacobian_is_the_inverse():
    dl, d, du, b = random_systems((6,))
    solve = lambda b: tridia.jax.solve(dl, d, du, b)
    inverse = jax.vmap(solve, out_axes=1)(jnp.eye(6))
    np.testing.assert_allclose(jax.jacfwd(solve)(b), inverse, atol=1e-14)
    np.testing.assert_allclose(jax.jacrev(solve)(b), inverse, atol=1e-14)


def in_program(function, *arrays):
    """Returns the calls of the library in the compiled program, and the bytes that it takes besides
    its arguments and results."""
    compiled = jax.jit(function).lower(*arrays).compile()
    text = compiled.as_text()
    calls = {name: text.count(f'custom_call_target="tridia_{name}"')
             for name in ("solve", "backward")}
    return calls, compiled.memory_analysis().temp_size_in_bytes


@pytest.mark.parametrize("matrix_shape", [(16,), (200, 16)])
def test_backward_is_one_call_without_temporaries(matrix_shape):
    dl, d, du, b = random_systems((200, 16), matrix_shape)
    x, backward = jax.vjp(tridia.jax.solve, dl, d, du, b)
    calls, temporary = in_program(backward, x)
    assert calls == {"solve": 0, "backward": 1} and temporary <= 1024
    of_all = jax.grad(lambda *a: jnp.sum(tridia.jax.solve(*a)), argnums=(0, 1, 2, 3))
    calls, temporary = in_program(of_all, dl, d, du, b)
    assert calls == {"solve": 1, "backward": 1}
    assert temporary <= 2 * b.nbytes + 1024  # x, and its cotangent
    of_b = jax.grad(lambda b: jnp.sum(tridia.jax.solve(dl, d, du, b) ** 2))
    assert in_program(of_b, b)[0] == {"solve": 2, "backward": 0}


@pytest.mark.parametrize("transpose", [None, "T", "H"])
@pytest.mark.parametrize("periodic", [False, True])
def test_backward_is_transposed_to_the_tangent(transpose, periodic):
    """What is linear can be transposed twice, under vmap as well."""
    dl, d, du, b = random_systems((3, 5), (5,), np.complex128)
    solve = lambda *a: tridia.jax.solve(*a, transpose=transpose, periodic=periodic)
    x, backward = jax.vjp(solve, dl, d, du, b)
    again = jax.linear_transpose(backward, x)
    dots = random_systems((3, 5), (5,), np.complex128, seed=4)
    tangent = jax.jvp(solve, (dl, d, du, b), tuple(dots))[1]
    np.testing.assert_allclose(again(tuple(dots))[0], tangent, atol=1e-13)
    g = random_array(np.random.default_rng(3), x.shape, np.complex128)
    along = jax.vmap(lambda d_dot: jax.jvp(lambda d: solve(dl, d, du, b), (d,), (d_dot,))[1])
    changes = [jnp.sum(along(unit * jnp.eye(5, dtype=d.dtype)) * g, axis=(1, 2)).real for unit in (1, 1j)]
    np.testing.assert_allclose(changes[0] - 1j * changes[1], backward(g)[1], atol=1e-13)
    many = jnp.stack([g, 2 * g, g.conj()])
    for k, gradients in enumerate(zip(*jax.vmap(backward)(many))):
        for a, e in zip(gradients, backward(many[k])):
            np.testing.assert_allclose(a, e, atol=1e-13)


@pytest.mark.parametrize("mapped", [(None, 0, None, None), (0, None, None, 0),
                                    (None, None, None, 0)])
def test_second_order_under_vmap(mapped):
    systems = random_systems((3, 5))
    operands = [a if at == 0 else a[0] for a, at in zip(systems, mapped)]
    dots = [a * 0.5 + 0.1 for a in operands]

    def second(*a):
        loss = lambda *a: jnp.sum(jnp.sin(tridia.jax.solve(*a)))
        forward = lambda *a: jax.jvp(loss, a, tuple(d[0] if at == 0 else d
                                                    for d, at in zip(dots, mapped)))[1]
        return jax.grad(forward, (0, 1, 2, 3))(*a), jax.hessian(loss, 1)(*a)

    found = jax.vmap(second, in_axes=mapped)(*operands)
    for k in range(3):
        one = second(*(a[k] if at == 0 else a for a, at in zip(operands, mapped)))
        for a, e in zip(jax.tree.leaves(found), jax.tree.leaves(one)):
            np.testing.assert_allclose(a[k], e, atol=1e-12)


def test_within_scan_and_checkpoint():
    dl, d, du, b = random_systems((2, 6))

    def final(d, b, step=lambda f: f):
        body = step(lambda u, _: (tridia.jax.solve(dl, d, du, u), None))
        return jnp.sum(jax.lax.scan(body, b, None, length=5)[0] ** 2)

    check_grads(final, (d, b), order=1, modes=BOTH)
    again = jax.grad(lambda d: final(d, b, jax.checkpoint))(d)
    np.testing.assert_allclose(again, jax.grad(final)(d, b), atol=1e-14)


OPERATORS = {
    "first": lambda f: tridia.jax.derivative(f, 0.1),
    "second, periodic": lambda f: tridia.jax.derivative(f, 0.1, order=2, periodic=True),
    "axis": lambda f: tridia.jax.derivative(f, 0.1, axis=0, scheme="C4"),
    "ends": lambda f: tridia.jax.derivative(f, 0.1, ends=("symmetric", "antisymmetric_half")),
    "metric": lambda f: tridia.jax.derivative(f, 0.1, metric=np.linspace(1, 2, f.shape[-1])),
    "to midpoints": lambda f: tridia.jax.derivative(f, 0.1, staggering="to_midpoints"),
    "to points": lambda f: tridia.jax.derivative(f, 0.1, staggering="to_points", axis=0),
    "interpolate": tridia.jax.interpolate,
    "filter": lambda f: tridia.jax.filter(f, alpha=0.4),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_operators(name, dtype):
    apply = OPERATORS[name]
    rng = np.random.default_rng(2)
    f = random_array(rng, (12, 13), dtype)
    check_grads(apply, (f,), order=2, modes=BOTH)
    out = jax.eval_shape(apply, f)
    g = random_array(rng, out.shape, dtype)
    adjoint = jax.linear_transpose(apply, f)
    left, right = jnp.sum(apply(f) * g), jnp.sum(f * adjoint(g)[0])
    assert abs(left - right) <= 1e-12 * jnp.sum(jnp.abs(apply(f) * g))
