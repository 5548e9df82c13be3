# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Gradients, divergences and Laplacians: what derivatives along each axis give, bit for bit."""

import numpy as np
import pytest
from conftest import TYPES, random_array

import tridia

SHAPES = [(12, 13), (9, 10, 11), (33, 170, 150), (6, 9, 33, 10)]
WAYS = [{}, {"periodic": True}, {"scheme": "C4", "ends": ("symmetric", "closure")}]


def separate(fields, order, spacings, **how):
    """Returns the derivatives along all axes, of one field or of a field for each axis."""
    return [tridia.derivative(fields[k if len(fields) > 1 else 0], h, order=order, axis=k, **how)
            for k, h in enumerate(spacings)]


def added(fields, order, spacings, **how):
    """Returns their sum as separate calls make it."""
    total = tridia.derivative(fields[0], spacings[0], order=order, axis=0, **how)
    for k, h in list(enumerate(spacings))[1:]:
        tridia.derivative(fields[k if len(fields) > 1 else 0], h, order=order, axis=k, out=total,
                          add=1.0, **how)
    return total


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("how", WAYS)
def test_as_separate_derivatives(shape, dtype, how, rng):
    spacings = tuple(0.5 + 0.25 * k for k in range(len(shape)))
    f = random_array(rng, shape, dtype)
    fields = [random_array(rng, shape, dtype) for _ in shape]
    for found, wanted in zip(tridia.gradient(f, spacings, **how), separate([f], 1, spacings, **how)):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(tridia.divergence(fields, spacings, **how),
                                  added(fields, 1, spacings, **how))
    np.testing.assert_array_equal(tridia.laplacian(f, spacings, **how),
                                  added([f], 2, spacings, **how))


def test_axes_differ(rng):
    f, sizes = rng.standard_normal((40, 90, 100)), (40, 90, 100)
    periodic = [True, False, True]
    metric = [None, 1 + 0.5 * rng.random(90), (1 + 0.5 * rng.random(100)).tolist()]
    alone = [tridia.derivative(f, axis=k, periodic=periodic[k], metric=metric[k]) for k in range(3)]
    for found, wanted in zip(tridia.gradient(f, periodic=periodic, metric=metric), alone):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(tridia.divergence([f] * 3, periodic=tuple(periodic), metric=metric),
                               sum(alone), atol=1e-12)
    np.testing.assert_allclose(
        tridia.laplacian(f, periodic=periodic),
        sum(tridia.derivative(f, order=2, axis=k, periodic=periodic[k]) for k in range(3)),
        atol=1e-12)
    # One metric, as a list of numbers, is that of all axes.
    square = f[:, :40, 0]
    one = (1 + 0.5 * rng.random(sizes[0])).tolist()
    for k, found in enumerate(tridia.gradient(square, metric=one)):
        np.testing.assert_array_equal(found, tridia.derivative(square, axis=k, metric=one))


def test_known_fields():
    x, y, z = np.meshgrid(*(np.linspace(0, 1, n) for n in (30, 35, 40)), indexing="ij")
    h = (1 / 29, 1 / 34, 1 / 39)
    f = x**2 * y + z**3
    assert abs(tridia.laplacian(f, h) - (2 * y + 6 * z)).max() < 1e-9
    assert abs(tridia.divergence([f, f, f], h) - (2 * x * y + x**2 + 3 * z**2)).max() < 1e-11
    assert abs(tridia.divergence(np.stack([x, y, z]), h) - 3).max() < 1e-11
    assert abs(tridia.divergence([f, f], h[1:], axes=(1, -1)) - (x**2 + 3 * z**2)).max() < 1e-11
    assert abs(tridia.laplacian(f, h[2], axes=[2]) - 6 * z).max() < 1e-9
    gx, gy, gz = tridia.gradient(f, h, order=1)
    assert abs(gx - 2 * x * y).max() < 1e-11 and abs(gz - 3 * z**2).max() < 1e-11


def test_any_layout_and_out(rng):
    f = np.asfortranarray(rng.standard_normal((20, 31, 28)))
    wanted = added([f], 2, (1.0,) * 3)
    found = tridia.laplacian(f)
    np.testing.assert_array_equal(found, wanted)
    assert found.strides == f.strides
    for view in (f[::-1, ::2, 1:], f.transpose(2, 0, 1), np.broadcast_to(f[0], (10, 31, 28))):
        np.testing.assert_array_equal(tridia.laplacian(view), added([view], 2, (1.0,) * 3))
        for a, b in zip(tridia.gradient(view), separate([view], 1, (1.0,) * 3)):
            np.testing.assert_array_equal(a, b)
    out = np.full((20, 31, 28), np.nan)
    assert tridia.laplacian(f, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    tridia.laplacian(f, out=out, add=-1.0)
    assert abs(out).max() < 1e-11
    assert tridia.divergence([f, f, f], out=out) is out
    np.testing.assert_array_equal(tridia.laplacian(np.arange(36).reshape(4, 9) ** 2, axes=[1]),
                                  tridia.derivative(np.arange(36).reshape(4, 9) ** 2, order=2))


def test_staggered_fields_and_lists(rng):
    f = rng.standard_normal((12, 13))
    for found, wanted in zip(tridia.gradient(f, staggering="to_midpoints"),
                             separate([f], 1, (1.0, 1.0), staggering="to_midpoints")):
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(tridia.laplacian(f.tolist()), tridia.laplacian(f))


@pytest.mark.parametrize("call, kind, words", [
    (lambda f: tridia.divergence([f]), ValueError, "fields: are 1, but there are 2 axes"),
    (lambda f: tridia.divergence([]), ValueError, "fields: are none"),
    (lambda f: tridia.divergence([f, f[:5]]), ValueError, r"fields\[1\]: its shape"),
    (lambda f: tridia.divergence([f, "f"]), TypeError, r"fields\[1\]: must be an array"),
    (lambda f: tridia.divergence([f, f], (1.0,)), ValueError, "spacing: has 1 entries"),
    (lambda f: tridia.divergence([f, f], order=2), TypeError, "order: is not an argument"),
    (lambda f: tridia.divergence([f, f], out=f), ValueError, "out"),
    (lambda f: tridia.laplacian(f, out=f), ValueError, "out"),
    (lambda f: tridia.laplacian(f, out=np.ones((12, 3))), ValueError, "out: its shape"),
    (lambda f: tridia.laplacian(f, out=f.astype("f4")), TypeError, "out: is of float32"),
    (lambda f: tridia.laplacian(f, out=[1.0]), TypeError, "out: must be an array"),
    (lambda f: tridia.laplacian(f, add=1.0), ValueError, "add: needs out"),
    (lambda f: tridia.laplacian(f, periodic=[True]), ValueError, "periodic: has 1 entries"),
    (lambda f: tridia.gradient(f, metric=[None] * 3), ValueError, "metric: has 3 entries"),
    (lambda f: tridia.divergence([f, f], metric=[None, np.ones(11)]), ValueError, "metric"),
    (lambda f: tridia.laplacian(f, axes=()), ValueError, "axes: are none"),
    (lambda f: tridia.laplacian(f, axes=(0, 2)), ValueError, "axis: 2 is out of range"),
    (lambda f: tridia.laplacian(f, metric=np.ones(3)), TypeError, "metric: is not an argument"),
    (lambda f: tridia.laplacian(f, axis=1), TypeError, "axis: is not an argument"),
    (lambda f: tridia.laplacian(f, scheme="C7"), ValueError, "C7"),
    (lambda f: tridia.laplacian(f, colour=1), TypeError, "colour"),
])
def test_bad_input(call, kind, words):
    f = np.ones((11, 12))
    with pytest.raises(kind, match=words):
        call(f)
    assert (f == 1).all()


def test_torch():
    torch = pytest.importorskip("torch")
    f = torch.randn(9, 10, 11, dtype=torch.float64, requires_grad=True)
    fields = [torch.randn(9, 10, 11, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    assert torch.autograd.gradcheck(tridia.laplacian, f)
    assert torch.autograd.gradcheck(lambda *all: tridia.divergence(all), fields)
    plain = f.detach()
    torch.testing.assert_close(tridia.laplacian(plain), tridia.laplacian(f).detach())
    for a, b in zip(tridia.gradient(plain), tridia.gradient(f)):
        torch.testing.assert_close(a, b.detach())
    with pytest.raises(ValueError, match="out: is not taken"):
        tridia.laplacian(f, out=torch.empty_like(plain))


def test_jax():
    from jax_support import jax, jnp, random_array as random_of_jax
    import tridia.jax
    check_grads = pytest.importorskip("jax.test_util").check_grads
    f = random_of_jax(np.random.default_rng(5), (9, 10, 11), np.float64)
    at_numpy = np.asarray(f)
    for of in (tridia.laplacian, tridia.jax.laplacian, jax.jit(tridia.jax.laplacian)):
        np.testing.assert_allclose(of(f), tridia.laplacian(at_numpy), atol=1e-10)
    divergence = tridia.jax.divergence([f, 2 * f, 3 * f])
    np.testing.assert_allclose(divergence, tridia.divergence([at_numpy, 2 * at_numpy, 3 * at_numpy]),
                               atol=1e-10)
    np.testing.assert_allclose(tridia.laplacian(f, periodic=[True, False, True]),
                               tridia.laplacian(at_numpy, periodic=[True, False, True]), atol=1e-10)
    check_grads(tridia.jax.laplacian, (f,), order=2, modes=("fwd", "rev"))
    check_grads(lambda a, b: tridia.jax.divergence([a, b], axes=(0, 2)), (f, 2 * f), order=1)
    with pytest.raises(ValueError, match="out: is not taken"):
        tridia.laplacian(f, out=f)
