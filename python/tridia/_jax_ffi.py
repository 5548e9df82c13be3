# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Registers tridia's handlers with XLA, and holds what the JAX primitives share: calls that are
split over devices, and operands that vary over a mesh."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tridia import _native

def register_handlers():
    """Registers the handlers of this build for each platform that it has."""
    handlers = _native.jax_handlers()
    if not handlers:
        raise ImportError("tridia.jax is not in this build of tridia: build it beside jaxlib")
    for target, platform, handler in handlers:
        jax.ffi.register_ffi_target(target, handler, platform=platform)


register_handlers()


def shape_and_type(shape, dtype):
    return jax.ShapeDtypeStruct(tuple(shape), dtype)


class SplitPrimitive:
    """A primitive whose lines may be spread over devices.

    `out_shape(shapes, options)` is the shape of the result; `call(*operands, options)` computes it
    on one device; `factors(shapes, out_shape, options)` names the dimensions of the operands and of
    the result, see `_Split`. With `several` results, shape, value and names are lists of them, the
    first of which is as large as any. The rules for derivatives and `vmap` are those of
    `primitive`, which take the options alone.
    """

    def __init__(self, name, out_shape, call, factors, several=False):
        self.primitive = Primitive(name)
        self.primitive.multiple_results = self._several = several
        self._out_shape, self._split = out_shape, _Split(call, factors, several)
        self.primitive.def_abstract_eval(self._abstract)
        first = (lambda found: found) if several else (lambda found: found[0])
        self.primitive.def_impl(
            lambda *operands, options, call: first(compiled(call)(*operands)))
        mlir.register_lowering(self.primitive, mlir.lower_fun(
            lambda *operands, options, call: first(jaxpr_as_fun(call)(*operands)),
            multiple_results=several))
        allow_in_shard_map(self.primitive)

    def bind(self, *operands, options):
        """Applies the primitive. Its parameters hold the jaxpr of the call on several devices, as
        JAX looks there for operations whose lowering asks for the devices."""
        call = self._traced(options, *(shape_and_type(o.shape, o.dtype) for o in operands))
        return self.primitive.bind(*operands, options=options, call=call)

    @functools.lru_cache(maxsize=1024)
    def _traced(self, options, *operands):
        split = self._split(len(operands))
        return jax.make_jaxpr(lambda *arrays: split(*arrays, options))(*operands)

    def _abstract(self, *operands, options, call):
        del call
        last = operands[-1]
        shapes = self._out_shape([o.shape for o in operands], options)
        shapes = shapes if self._several else [shapes]
        mesh = getattr(getattr(last, "sharding", None), "mesh", None)
        if mesh is None or mesh.empty:
            found = [last.update(shape=shape, weak_type=False) for shape in shapes]
        else:
            # Where the mesh's axes are explicit, the type of an array says how it is split.
            results = [shape_and_type(shape, last.dtype) for shape in shapes]
            shardings = self._split.infer_each(options, mesh, operands, results)
            found = [last.update(shape=shape, weak_type=False, sharding=sharding)
                     for shape, sharding in zip(shapes, shardings)]
        return found if self._several else found[0]


@functools.lru_cache(maxsize=1024)
def compiled(call):
    """Returns the compiled function of a jaxpr, whose results are a list."""
    return jax.jit(jaxpr_as_fun(call))


def sum_name(name, result):
    """Names a dimension of extent 1 that result number `result` is summed to, over dimension
    `name` of the operands."""
    return f"sum{result}_{name}"


class _Split:
    """Splits a call over the devices of a mesh, without an exchange along dimensions that the
    systems do not couple.

    `factors` returns a list of names for each operand and one for the result, or a list of these.
    Dimensions of one name are split alike; those whose name begins with "whole" are not split.
    Where a dimension is split that a result is summed over (`sum_name`), devices add up theirs.
    """

    def __init__(self, call, factors, several):
        self.call, self._factors, self.several = call, factors, several

    def factors(self, operands, results, options):
        shapes = [r.shape for r in results]
        names, result_names = self._factors([o.shape for o in operands],
                                            shapes if self.several else shapes[0], options)
        return names, result_names if self.several else [result_names]

    @functools.lru_cache(maxsize=None)
    def __call__(self, operand_count):
        call = custom_partitioning(self.call, static_argnums=(operand_count,))
        call.def_partition(
            infer_sharding_from_operands=self._infer, partition=self._partition,
            sharding_rule=self._rule)
        return call

    def _of_results(self, found):
        return tuple(found) if self.several else found[0]

    def _infer(self, options, mesh, operands, result):
        results = result if self.several else [result]
        return self._of_results(self.infer_each(options, mesh, operands, results))

    def infer_each(self, options, mesh, operands, results):
        """Returns how each result is split, where the operands are split as they say."""
        operand_names, result_names = self.factors(operands, results, options)
        mesh, chosen = _mesh_of(mesh, operands), {}
        # The last operand is the one that is as large as the result, so its sharding comes first.
        for names, operand in reversed(list(zip(operand_names, operands))):
            for name, axes in zip(names, _spec(operand)):
                if not name.startswith("whole") and axes is not None:
                    chosen.setdefault(name, axes)
        return [NamedSharding(mesh, _without_repeats(chosen.get(n) for n in names))
                for names in result_names]

    def _partition(self, options, mesh, operands, result):
        results = result if self.several else [result]
        operand_names, result_names = self.factors(operands, results, options)
        mesh = _mesh_of(mesh, [*results, *operands])
        chosen = {name: axes for name, axes in zip(result_names[0], _spec(results[0]))
                  if not name.startswith("whole") and axes is not None}

        def sharding(names):
            return NamedSharding(mesh, PartitionSpec(*(chosen.get(n) for n in names)))

        def summed(value, result_number, names):
            split = [axes for name, axes in chosen.items()
                     if sum_name(name, result_number) in names]
            return jax.lax.psum(value, _flat(split)) if split else value

        def local(*arrays):
            found = self.call(*arrays, options)
            if not self.several:
                return found
            return tuple(summed(value, k, names)
                         for k, (value, names) in enumerate(zip(found, result_names)))

        return (mesh, local, self._of_results([sharding(n) for n in result_names]),
                tuple(map(sharding, operand_names)))

    def _rule(self, options, mesh, operand_types, result_types):
        del mesh
        operand_names, result_names = self.factors(operand_types, result_types, options)
        rule = " -> ".join(", ".join(map(" ".join, names)) for names in
                           (operand_names, result_names))
        whole = sorted({n for n in sum([*operand_names, *result_names], [])
                        if n.startswith("whole")})
        return _rule_with_replication(rule, tuple(whole))


def _flat(axes):
    """Returns the names of a mesh's axes, of which one dimension may be split over several."""
    return tuple(name for a in axes for name in (a if isinstance(a, tuple) else (a,)))


def _rule_with_replication(rule, whole):
    # jax 0.5 takes the rule alone; its `partition` keeps these dimensions whole.
    return (rule, {"need_replication_factors": whole}) if _version() >= (0, 7) else rule


def _version():
    return tuple(int(part) for part in jax.__version__.split(".")[:2])


def _spec(array):
    """Returns what each dimension is split over, as far as it is known: what is not is gathered."""
    spec = tuple(getattr(array.sharding, "spec", ()))
    return spec + (None,) * (len(array.shape) - len(spec))


def _mesh_of(mesh, arrays):
    """Returns the mesh, or one of all devices where the shardings have none (an exception would end
    the process, as XLA calls this)."""
    if not mesh.empty:
        return mesh
    devices = next(a.sharding.device_set for a in arrays if a.sharding is not None)
    return Mesh(np.array(sorted(devices, key=lambda device: device.id)), ("devices",))


def _without_repeats(axes_of_dimensions):
    """Drops an axis of the mesh that an earlier dimension is split over already."""
    used, kept = set(), []
    for axes in axes_of_dimensions:
        as_set = set(axes if isinstance(axes, tuple) else (axes,)) - {None}
        kept.append(axes if as_set and not as_set & used else None)
        used |= as_set
    return PartitionSpec(*kept)


def allow_in_shard_map(primitive):
    """Tells `shard_map` of jax 0.5, which checks replication by a rule for each primitive, that the
    result varies as the operands do. Later ones read it from the abstract value."""
    if _version() < (0, 6):
        from jax.experimental import shard_map
        shard_map.register_standard_check(primitive)
        shard_map.register_standard_rewrite(primitive)


def _varying(array):
    """Returns the axes of the mesh over which an array varies in a `shard_map` that checks it."""
    kind = jax.typeof(array)
    kind = getattr(kind, "manual_axis_type", kind)
    return getattr(kind, "varying", getattr(kind, "vma", frozenset()))


def _cast(array, axes):
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, axes, to="varying")
    return jax.lax.pvary(array, axes)


def vary_alike(*arrays):
    """Returns the arrays, each made to vary over all axes of the mesh that any of them varies over:
    inside `shard_map` a primitive wants that of its operands."""
    axes = frozenset().union(*map(_varying, arrays))
    return [_cast(a, tuple(sorted(axes - _varying(a)))) if axes - _varying(a) else a
            for a in arrays]


def insert_axis(arrays, dims, at):
    """Returns the arrays with their mapped axes moved to position `at`, or one of extent 1 there
    where there is none: nothing is copied for an array that is not mapped."""
    return [jnp.expand_dims(a, at) if dim is None else jnp.moveaxis(a, dim, at)
            for a, dim in zip(arrays, dims)]
