# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Tensors of PyTorch: values, gradients, forward mode, torch.func. CI has no PyTorch."""

import itertools

import numpy as np
import pytest

import tridia
from tridia import _native

torch = pytest.importorskip("torch")
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() and tridia.info()["cuda_devices"]
                     else [])


def tensors(rng, shape, dtype, axis=-1, short=False, shared=False, device="cpu"):
    def make(rows, add=0.0, coefficient=True):
        s = list(shape)
        s[axis] = rows
        s = [rows] if coefficient and shared else s
        a = rng.standard_normal(s) + add
        if dtype == torch.complex128:
            a = a + 1j * rng.standard_normal(s)
        return torch.tensor(a, dtype=dtype, device=device, requires_grad=True)

    n = shape[axis]
    off = n - 1 if short else n
    return make(off), make(n, 5.0), make(off), make(n, coefficient=False)


CASES = [dict(dtype=dtype, transpose=transpose, periodic=periodic, short=short, shared=shared,
              axis=axis)
         for dtype in (torch.float64, torch.complex128) for transpose in (None, "T", "H")
         for periodic, short in ((False, False), (False, True), (True, False))
         for shared, axis in ((False, -1), (True, 0))]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join(str(v) for v in c.values()))
def test_gradients(case, rng, device):
    dtype, transpose, periodic = case["dtype"], case["transpose"], case["periodic"]
    arrays = tensors(rng, (4, 2), dtype, 0, case["short"], True, device) if case["axis"] == 0 else \
        tensors(rng, (2, 4), dtype, -1, case["short"], False, device)

    def f(*a):
        return tridia.solve(*a, axis=case["axis"], periodic=periodic, transpose=transpose)

    assert torch.autograd.gradcheck(f, arrays, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, arrays)
    if not periodic and not case["short"]:
        x = f(*arrays)
        dl, _, du, _ = torch.autograd.grad(x.abs().sum(), arrays)
        along = (lambda t, k: t[k]) if case["axis"] == 0 else (lambda t, k: t[:, k])
        assert (along(dl, 0) == 0).all() and (along(du, -1) == 0).all()


BROADCAST = [
    ((), (2, 1), (1,), (3, 2, 4)),             # one number, one for each system, one for all rows
    ((4,), (3, 1, 4), (2, 1), (2, 4)),         # more matrices than right-hand sides
    ((3,), (2, 4), (1, 3), (1,)),              # short off-diagonals, one right-hand side
    ((1, 1), (4,), (1,), (2, 1)),
]


@pytest.mark.parametrize("shapes", BROADCAST)
@pytest.mark.parametrize("transpose, dtype", [(None, torch.float64), ("T", torch.complex128),
                                              ("H", torch.complex128)])
def test_gradients_of_what_is_broadcast(shapes, transpose, dtype, rng):
    arrays = [torch.tensor(rng.standard_normal(s) + 5 * (k == 1), dtype=dtype, requires_grad=True)
              for k, s in enumerate(shapes)]

    def f(*a):
        return tridia.solve(*a, transpose=transpose)

    assert torch.autograd.gradcheck(f, arrays, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, arrays, check_fwd_over_rev=True, atol=1e-4)
    x = f(*arrays)
    wanted = tridia.solve(*(t.detach().numpy() for t in arrays), transpose=transpose)
    np.testing.assert_allclose(x.detach().numpy(), wanted)


@pytest.fixture
def calls(monkeypatch):
    """Returns a list of the functions of the library that are called and have done their work."""
    made = []
    for name in ("solve", "backward"):
        def call(*arguments, original=getattr(_native, name), name=name):
            result = original(*arguments)
            if result is not NotImplemented:
                made.append(name)
            return result

        monkeypatch.setattr(_native, name, call)
    return made


@pytest.mark.parametrize("shared", [False, True])
def test_a_backward_pass_is_one_call_without_temporaries(calls, shared, rng):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Record(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.allocated, self.others = 0, []

        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            result = function(*arguments, **(options or {}))
            if function.overloadpacket in (torch.ops.aten.empty_like, torch.ops.aten.empty):
                self.allocated += result.nbytes
            elif function.overloadpacket not in (torch.ops.aten.detach, torch.ops.aten.view):
                self.others.append(function)
            return result

    arrays = tensors(rng, (50, 8), torch.float64, shared=shared)
    x = tridia.solve(*arrays)
    g = torch.tensor(rng.standard_normal((50, 8)))
    assert calls == ["solve"]
    with Record() as record:
        grads = torch.autograd.grad(x, arrays, g)
    assert calls == ["solve", "backward"] and not record.others
    assert record.allocated == sum(t.nbytes for t in grads)
    calls.clear()
    x = tridia.solve(*arrays)
    torch.autograd.grad(x, arrays[1], g)
    assert calls == ["solve", "backward"]
    calls.clear()
    of_all = torch.func.grad(lambda *a: tridia.solve(*a).sum(), argnums=(0, 1, 2, 3))
    of_all(*(t.detach() for t in arrays))
    assert calls == ["solve", "backward"]


@pytest.mark.parametrize("shared", [False, True])
def test_vmap_of_gradients(calls, shared, rng):
    dl, d, du, b = (t.detach() for t in tensors(rng, (3, 5), torch.float64, shared=shared))

    def loss(d, b):
        return (tridia.solve(dl, d, du, b) ** 2).sum()

    of_both = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1)), in_dims=(None, 0))
    many = torch.stack([b, 2 * b, b - 1])
    found = of_both(d, many)
    assert calls == ["solve", "backward"]
    for k, b in enumerate(many):
        for ours, theirs in zip(found, torch.func.grad(loss, argnums=(0, 1))(d, b)):
            torch.testing.assert_close(ours[k], theirs)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("periodic", [False, True])
def test_gradients_of_small_systems(n, periodic, rng):
    arrays = tensors(rng, (2, n), torch.float64)
    assert torch.autograd.gradcheck(lambda *a: tridia.solve(*a, periodic=periodic), arrays)


def test_values_and_kinds(rng):
    for dtype, device in itertools.product(
            (torch.float32, torch.float64, torch.complex64, torch.complex128), DEVICES):
        arrays = [t.detach().to(dtype) for t in tensors(rng, (3, 6, 2), torch.float64, 1,
                                                        device=device)]
        x = tridia.solve(*arrays, axis=1)
        wanted = tridia.solve(*(t.cpu().numpy() for t in arrays), axis=1)
        assert x.dtype == dtype and x.device.type == device
        np.testing.assert_allclose(x.cpu().numpy(), wanted, rtol=1e-4, atol=1e-5)
        out = torch.empty_like(arrays[3])
        status = torch.empty((3, 2), dtype=torch.int64, device=device)
        assert tridia.solve(*arrays, axis=1, out=out, status=status) is out
        assert torch.equal(out, x) and (status == 0).all()
    assert tridia.solve(-1, 4, -1, torch.arange(5)).dtype == torch.float64
    conjugated = torch.ones(4, dtype=torch.complex64).mul(1j).conj()
    np.testing.assert_allclose(tridia.solve(0, 2, 0, conjugated).numpy(), -0.5j)


@pytest.mark.parametrize("device", DEVICES)
def test_views_that_wait_for_an_operation(device, rng):
    """A tensor may be conjugated or negated by a bit: its memory is not what it says."""
    z = torch.tensor(rng.standard_normal((3, 6)) + 1j * rng.standard_normal((3, 6)), device=device)
    dl, d, du = (torch.full_like(z, v) for v in (-1.0, 4.0, 0.5j))
    plan = tridia.Plan((3, 6), torch.complex128, device=device)
    assert z.conj().is_conj()
    torch.testing.assert_close(plan.execute(dl, d, du, z.conj()), tridia.solve(dl, d, du, z.conj()))
    torch.testing.assert_close(tridia.solve(dl, d, du, z.conj()),
                               tridia.solve(dl, d, du, z.conj().resolve_conj()))
    negated, real = z.conj().imag, [t.real.contiguous() for t in (dl, d)]
    assert negated.is_neg()
    torch.testing.assert_close(tridia.solve(*real, real[0], negated),
                               tridia.solve(*real, real[0], negated.resolve_neg()))
    with pytest.raises(ValueError, match="out: is a conjugated or negated view"):
        plan.execute(dl, d, du, z, out=torch.empty_like(z).conj())
    # The same, where a gradient is taken.
    z.requires_grad_()
    found, = torch.autograd.grad(tridia.solve(dl, d, du, z.conj()).abs().sum(), z)
    wanted, = torch.autograd.grad(tridia.solve(dl, d, du, z.conj().resolve_conj()).abs().sum(), z)
    torch.testing.assert_close(found, wanted)


def test_parameters(rng):
    """A Parameter is a tensor of another class."""
    arrays = [torch.nn.Parameter(t.detach()) for t in tensors(rng, (3, 5), torch.float64)]
    with torch.no_grad():
        x = tridia.solve(*arrays)
        plan = tridia.Plan((3, 5), torch.float64)
        assert type(x) is torch.Tensor and torch.equal(plan.execute(*arrays), x)
    x = tridia.solve(*arrays)
    assert x.requires_grad and type(x) is torch.Tensor
    assert all(t.shape == (3, 5) for t in torch.autograd.grad(x.sum(), arrays))


def test_a_result_without_contiguous_arrays_is_contiguous(rng):
    arrays = [t.detach().mT for t in tensors(rng, (3, 5), torch.float64)]
    x = tridia.solve(*arrays, axis=0)
    assert x.is_contiguous()
    torch.testing.assert_close(x.mT, tridia.solve(*(t.mT for t in arrays)))


def test_torch_func(rng):
    dl, d, du, b = (t.detach() for t in tensors(rng, (3, 5), torch.float64))
    shared = [t[0] for t in (dl, d, du)]

    def loss(d):
        return (tridia.solve(dl[0], d, du[0], b[0]) ** 2).sum()

    matrix = torch.func.jacrev(lambda v: tridia.solve(dl[0], d[0], du[0], v))(b[0])
    torch.testing.assert_close(matrix @ b[0], tridia.solve(dl[0], d[0], du[0], b[0]))
    torch.testing.assert_close(torch.func.hessian(loss)(d[0]),
                               torch.func.jacfwd(torch.func.grad(loss))(d[0]))
    torch.testing.assert_close(torch.func.vmap(tridia.solve)(dl, d, du, b),
                               tridia.solve(dl, d, du, b))
    torch.testing.assert_close(
        torch.func.vmap(lambda v: tridia.solve(*shared, v), in_dims=1)(b.T.contiguous()),
        tridia.solve(*shared, b))
    nested = torch.func.vmap(torch.func.vmap(lambda v: tridia.solve(*shared, v)))(
        b.expand(2, 3, 5))
    torch.testing.assert_close(nested, tridia.solve(*shared, b.expand(2, 3, 5)))
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(loss))(d),
                               torch.stack([torch.func.grad(loss)(v) for v in d]))
    x, tangent = torch.func.jvp(lambda d: tridia.solve(dl, d, du, b), (d,), (torch.ones_like(d),))
    torch.testing.assert_close(tangent, -tridia.solve(dl, d, du, x))


def test_fields(rng):
    f = torch.tensor(rng.standard_normal((3, 12, 2)), requires_grad=True)
    for call in (lambda f: tridia.derivative(f, 0.5, axis=1),
                 lambda f: tridia.derivative(f.transpose(0, 1), 0.5, axis=0, order=2),
                 lambda f: tridia.interpolate(f, axis=1),
                 lambda f: tridia.filter(f, axis=1, periodic=True),
                 lambda f: tridia.gradient(f, axes=[1])[0]):
        assert torch.autograd.gradcheck(call, f, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(call, f)
        np.testing.assert_allclose(call(f).detach().numpy(), call(f.detach()).numpy())
    x = torch.func.vmap(lambda f: tridia.derivative(f, axis=1), in_dims=2, out_dims=2)(f.detach())
    torch.testing.assert_close(x, tridia.derivative(f.detach(), axis=1))
    c6 = tridia.Scheme.named("first_derivative", "C6")
    op = tridia.Operator(c6, (3, 12), torch.float64)
    assert torch.autograd.gradcheck(op, f[:, :, 0])


def test_spline(rng):
    x = torch.linspace(0, 1, 8, dtype=torch.float64, requires_grad=True)
    y = torch.tensor(rng.standard_normal((8, 2)), requires_grad=True)
    at = torch.tensor([0.3, 0.77, 1.2], dtype=torch.float64)
    for bc in ("not-a-knot", "natural", "clamped"):
        assert torch.autograd.gradcheck(lambda x, y: tridia.CubicSpline(x, y, bc_type=bc)(at),
                                        (x, y))
    points = at.clone().requires_grad_()
    assert torch.autograd.gradcheck(tridia.CubicSpline(x.detach(), y.detach()), points)
    numpy_spline = tridia.CubicSpline(x.detach().numpy(), y.detach().numpy())
    np.testing.assert_allclose(tridia.CubicSpline(x, y)(at).detach().numpy(), numpy_spline(at))


def test_what_is_not_differentiated_is_refused(rng):
    dl, d, du, b = tensors(rng, (3, 5), torch.float64)
    plan = tridia.Plan((3, 5), torch.float64)
    with pytest.raises(ValueError, match="requires a gradient, which this call does not compute"):
        plan.execute(dl, d, du, b)
    with torch.no_grad():
        torch.testing.assert_close(plan.execute(dl, d, du, b), tridia.solve(dl, d, du, b))
    with pytest.raises(ValueError, match="out: is not taken where a gradient"):
        tridia.solve(dl, d, du, b, out=torch.empty(3, 5, dtype=torch.float64))
    with pytest.raises(TypeError, match="arrays of one framework are needed"):
        tridia.solve(dl.detach().numpy(), d, du, b)
    with pytest.raises(TypeError, match="layout|cannot be read"):
        tridia.solve(-1.0, 4.0, -1.0, torch.ones(3, 4).to_sparse())
    with pytest.raises(TypeError, match="meta|cannot be read"):
        tridia.solve(-1.0, 4.0, -1.0, torch.ones(3, 4, device="meta"))
    with pytest.raises(TypeError, match="g: cannot be read|functorch"):  # not torch.func's vmap
        torch.autograd.grad(tridia.solve(dl, d, du, b), d, torch.ones(2, 3, 5, dtype=b.dtype),
                            is_grads_batched=True)
    with pytest.raises((TypeError, RuntimeError, ValueError)):
        torch.func.vmap(plan.execute)(*(t[None].detach() for t in (dl, d, du, b)))


def test_compile(rng):
    arrays = tensors(rng, (3, 5), torch.float64)

    def loss(*a):
        return (tridia.solve(*a) * 2).sum()

    # One graph, with the operator in it.
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    wanted = torch.autograd.grad(loss(*arrays), arrays)
    for ours, theirs in zip(torch.autograd.grad(compiled(*arrays), arrays), wanted):
        torch.testing.assert_close(ours, theirs)
    shared = [t.detach()[0].requires_grad_() for t in arrays[:3]]
    torch._dynamo.reset()
    dynamic = torch.compile(loss, backend="aot_eager", fullgraph=True, dynamic=True)
    for b in (arrays[3], arrays[3].detach().repeat(2, 1)):
        wanted = torch.autograd.grad(loss(*shared, b), shared)
        for ours, theirs in zip(torch.autograd.grad(dynamic(*shared, b), shared), wanted):
            torch.testing.assert_close(ours, theirs)
    mixed = torch.compile(lambda b: tridia.solve(-1.0, 4.0, -1.0, b), backend="aot_eager")
    torch.testing.assert_close(mixed(arrays[3]), tridia.solve(-1.0, 4.0, -1.0, arrays[3]))


def test_compile_under_a_transform(rng):
    dl, d, du, b = (t.detach()[0] for t in tensors(rng, (3, 5), torch.float64))

    def loss(d):
        return (tridia.solve(dl, d, du, b) ** 2).sum()

    many = torch.stack([d, d + 1])
    for f, at in ((torch.func.vmap(torch.func.grad(loss)), many), (torch.func.grad(loss), d),
                  (lambda d: torch.func.jvp(loss, (d,), (torch.ones_like(d),))[1], d)):
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(f, backend="aot_eager")(at), f(at))
        torch._dynamo.reset()
        with pytest.raises(torch._dynamo.exc.TorchDynamoException):
            torch.compile(f, backend="aot_eager", fullgraph=True)(at)


@pytest.mark.parametrize("dtype, transpose, periodic", [
    (torch.float64, None, False), (torch.float64, "T", True), (torch.complex128, "H", False)])
def test_operator(dtype, transpose, periodic, rng):
    arrays = tensors(rng, (3, 5), dtype)
    options = (-1, periodic, True, transpose, None, 0)
    with torch.no_grad():
        tridia.solve(*arrays)  # which registers it
    torch.library.opcheck(torch.ops.tridia.solve, (*arrays, *options))
    shared = [t.detach()[:1].requires_grad_() for t in arrays[:3]]
    torch.library.opcheck(torch.ops.tridia.solve, (*shared, arrays[3], *options))
    x, g = (t.detach().requires_grad_() for t in (arrays[3] + 1, arrays[3] * 2))
    for wanted in ([True] * 3, [False, True, False]):
        given = (*shared, x, g, wanted, *options)
        torch.library.opcheck(torch.ops.tridia.solve_backward, given)
    assert torch.autograd.gradcheck(lambda *a: torch.ops.tridia.solve(*a, *options), arrays)
    assert torch.autograd.gradgradcheck(lambda *a: torch.ops.tridia.solve(*a, *options), arrays)


def test_export(rng):
    class Model(torch.nn.Module):
        def forward(self, *a):
            return tridia.solve(*a)

    arrays = tuple(t.detach() for t in tensors(rng, (3, 5), torch.float64))
    for given in (arrays, (arrays[0][0], arrays[1][0], arrays[2][:1], arrays[3])):
        exported = torch.export.export(Model(), given).module()
        torch.testing.assert_close(exported(*given), tridia.solve(*given))


def test_singular(rng):
    b = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    with pytest.raises(tridia.SingularError):
        tridia.solve(0.0, 0.0, 0.0, b)
    status = torch.empty(2, dtype=torch.int64)
    x = tridia.solve(0.0, 0.0, 0.0, b, status=status)
    assert (status == 1).all() and x.isnan().all()
    assert torch.autograd.grad(x.sum(), b)[0].isnan().all()
