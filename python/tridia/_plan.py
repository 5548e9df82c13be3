# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Plans: a problem that is prepared once and solved many times."""

from collections.abc import Mapping
from typing import Any

import numpy

from tridia import _checks, _native
from tridia._frameworks import framework_of
from tridia._near_toeplitz import NearToeplitz

_ARRAYS = ("dl", "d", "du", "b", "out")
_PARAMETERS = {"switch_point": 0, "packing_depth": 0, "transformation": "none",
               "memory": "automatic"}


def _mapping(name, value, keys):
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: must be a dict with keys of {', '.join(keys)}, not "
                        f"{type(value).__name__}")
    for key in value:
        if key not in keys:
            raise ValueError(f"{name}: has {key!r}, which is none of {', '.join(keys)}")
    return value


class Plan:
    """A plan prepares a batch of systems, so that it can be solved many times.

    It is strict, and does nothing but solve: the arrays of a call have the plan's type, shapes and
    strides exactly. It is immutable, and any number of threads may use it at the same time. On a
    GPU a plan has to outlive the work that it has enqueued.

    Parameters
    ----------
    shape : tuple of int
        The shape of ``b`` and ``out``.
    dtype
        float32, float64, complex64 or complex128.
    axis : int
        The systems lie along this axis.
    coefficients : "per_system", "shared" or NearToeplitz
        Each system has its own rows (``dl``, ``d`` and ``du`` have the shape of ``b``), all have
        one matrix (they are one-dimensional), or the matrix is this one, and no arrays are needed:
        then ``execute_constant`` solves.
    short_off_diagonals : bool
        Whether ``dl`` and ``du`` have n - 1 entries along the axis.
    right_hand_sides : int, optional
        The number of right-hand sides of each system: ``b`` and ``out`` have one more axis of this
        length, the first.
    strides : dict, optional
        Strides of "dl", "d", "du", "b", "out", in elements, one for each axis of ``shape``; 0
        broadcasts. An array that is not named is dense in C order.
    steps : dict, optional
        The distance, in elements, from one right-hand side to the next, of "b" and "out".
    offsets : sequence of int, optional
        System k has ``offsets[k+1] - offsets[k]`` rows: a ragged batch.
    ragged_layout : str
        Where these rows lie. "concatenated" (the default): system k has rows ``offsets[k]`` to
        ``offsets[k+1] - 1`` of the only axis. "packed": row 0 of all systems, then row 1 of those
        that have one, and so on, the longest system first. "padded": there are two axes, and each
        system is the beginning of a line; what is beyond it is never read or written.
    periodic, pivoting, transpose
        As for ``solve``.
    device : optional
        "cpu" (the default), "cuda" or "cuda:1".
    algorithm : str, optional
        One of ``tridia.info()["algorithms"]``.
    parameters : dict, optional
        Those of a named algorithm: "switch_point", "packing_depth", "transformation", "memory".
    threads : int
        Threads of the CPU; 0 takes all.
    tuning : str, optional
        The text of a table that ``tridia tune`` has written.

    Raises
    ------
    Error
        Where an algorithm cannot solve this, or a device is not there.
    SingularError
        Where a NearToeplitz matrix has no inverse.

    Examples
    --------
    >>> plan = tridia.Plan((1000, 64), np.float64, coefficients="shared", pivoting=False)
    >>> dl, d, du, b = -np.ones(64), np.full(64, 4.0), -np.ones(64), np.ones((1000, 64))
    >>> out = np.empty_like(b)
    >>> plan.execute(dl, d, du, b, out=out) is out
    True
    >>> print(plan.algorithm, plan.systems)
    thomas 1000
    """

    __slots__ = ("_native", "_cuda", "shape", "dtype", "axis", "__weakref__")

    def __init__(self, shape: Any, dtype: Any, *, axis: int = -1,
                 coefficients: "str | NearToeplitz" = "per_system",
                 short_off_diagonals: bool = False, right_hand_sides: int | None = None,
                 strides: Mapping[str, Any] | None = None, steps: Mapping[str, int] | None = None,
                 offsets: Any = None, ragged_layout: str = "concatenated",
                 periodic: bool = False, pivoting: bool = True,
                 transpose: str | None = None, device: Any = None, algorithm: str | None = None,
                 parameters: Mapping[str, Any] | None = None, threads: int = 0,
                 tuning: str | None = None) -> None:
        self.shape = tuple(_checks.integers("shape", shape, 0))
        name = _checks.type_name(dtype)
        self.dtype = numpy.dtype(name)
        self.axis = _checks.integer("axis", axis, -2**31, 2**31 - 1)
        strides = _mapping("strides", strides, _ARRAYS)
        steps = _mapping("steps", steps, ("b", "out"))
        given = {**_PARAMETERS, **_mapping("parameters", parameters, tuple(_PARAMETERS))}
        constant = isinstance(coefficients, NearToeplitz)
        self._cuda, number = _checks.device(device)
        self._native = _native.Plan(
            list(self.shape), _checks.short_type(name), self.axis,
            "constant" if constant else
            _checks.choice("coefficients", coefficients, ("per_system", "shared")),
            coefficients._rows(self.dtype) if constant else None,
            _checks.flag("short_off_diagonals", short_off_diagonals),
            None if right_hand_sides is None
            else _checks.integer("right_hand_sides", right_hand_sides),
            [_checks.integers(f"strides of {k}", strides[k]) if k in strides else []
             for k in _ARRAYS],
            [_checks.integer(f"steps of {k}", steps.get(k, 0)) for k in ("b", "out")],
            [] if offsets is None else _checks.integers("offsets", offsets),
            _checks.choice("ragged_layout", ragged_layout, ("concatenated", "padded", "packed")),
            _checks.flag("periodic", periodic), _checks.flag("pivoting", pivoting), transpose,
            self._cuda, number, algorithm,
            [_checks.integer(k, given[k], 0, 2**31 - 1) for k in ("switch_point", "packing_depth")],
            str(given["transformation"]), str(given["memory"]),
            _checks.integer("threads", threads, 0, 2**20), tuning)

    @property
    def algorithm(self) -> str:
        """The name of the algorithm that the plan uses."""
        return self._native.algorithm

    @property
    def reason(self) -> str:
        """A sentence that says why the plan uses this algorithm."""
        return self._native.reason

    @property
    def systems(self) -> int:
        """The number of systems; right-hand sides of one are not counted."""
        return self._native.systems

    @property
    def workspace_bytes(self) -> int:
        """The bytes of workspace that a call needs."""
        return self._native.workspace_bytes

    @property
    def factors_bytes(self) -> int:
        """The bytes of the factors; 0 where the algorithm saves none."""
        return self._native.factors_bytes

    @property
    def device(self) -> str:
        """Where the plan runs: "cpu", or "cuda:0" and so on."""
        return f"cuda:{self._native.device}" if self._cuda else "cpu"

    def __repr__(self) -> str:
        return (f"<tridia.Plan: {self.shape} of {self.dtype}, axis {self.axis}, by "
                f"{self.algorithm} on {self.device}>")

    def execute(self, dl: Any, d: Any, du: Any, b: Any, /, *, out: Any = None, status: Any = None,
                workspace: Any = None, stream: Any = None) -> Any:
        """This solves every system, and returns ``out``, or a new array.

        ``out`` may be ``b`` or a diagonal itself; no other overlap. ``status`` is as for ``solve``.
        ``workspace`` is a dense array of at least ``workspace_bytes`` bytes where the plan runs,
        for this call alone; without it one is allocated. Raises what ``solve`` raises.
        """
        if stream is None:
            x = self._native.execute(dl, d, du, b, out, status, workspace, None, None)
            if x is not NotImplemented:
                return x
        return self._run(self._native.execute, dict(dl=dl, d=d, du=du, b=b), out, stream,
                         status=status, workspace=workspace)

    def execute_constant(self, b: Any, /, *, out: Any = None, status: Any = None,
                         workspace: Any = None, stream: Any = None) -> Any:
        """This solves as ``execute`` does, with the NearToeplitz matrix that the plan knows."""
        if stream is None:
            x = self._native.execute_constant(b, out, status, workspace, None, None)
            if x is not NotImplemented:
                return x
        return self._run(self._native.execute_constant, dict(b=b), out, stream, status=status,
                         workspace=workspace)

    def factor(self, dl: Any, d: Any, du: Any, /, *, status: Any = None, workspace: Any = None,
               stream: Any = None) -> "Factors":
        """This factors every matrix, to solve with later; raises what ``solve`` raises."""
        framework = framework_of(d=d, dl=dl, du=du, status=status, workspace=workspace)
        described = [framework.describe(k, x) for k, x in dict(dl=dl, d=d, du=du).items()]
        return Factors._of(self, described, status, workspace, stream, framework)

    def _run(self, function, inputs, out, stream, **others):
        framework = framework_of(**inputs, out=out, **others)
        with framework.current(stream):
            described = [framework.describe(k, x) for k, x in inputs.items()]
            described += [None if x is None else framework.describe(k, x)
                          for k, x in dict(out=out, **others).items()]
            x = function(*described, framework.stream(stream), framework.allocator())
        if out is not None:
            return out
        return x.owner if isinstance(x, _native.Array) else x


class Factors:
    """This holds the factors of matrices; ``tridia.factor`` and ``Plan.factor`` make it."""

    __slots__ = ("plan", "status", "_memory")

    plan: Plan
    """The plan that the factors are of."""
    status: Any
    """The status that was passed, or None."""

    def __init__(self) -> None:
        raise TypeError("Factors: are made by tridia.factor or by Plan.factor")

    @classmethod
    def _of(cls, plan, coefficients, status, workspace, stream, framework):
        self = object.__new__(cls)
        self.plan, self.status = plan, status
        others = [None if x is None else framework.describe(k, x)
                  for k, x in dict(status=status, workspace=workspace).items()]
        with framework.current(stream):
            self._memory = framework.empty((plan.factors_bytes,), "uint8")
            plan._native.factor(*coefficients, framework.describe("factors", self._memory),
                                *others, framework.stream(stream), framework.allocator())
        return self

    @property
    def nbytes(self) -> int:
        """The bytes that the factors take."""
        return self.plan.factors_bytes

    def __repr__(self) -> str:
        return f"<tridia.Factors: {self.nbytes} bytes, of {self.plan!r}>"

    def solve(self, b: Any, /, *, out: Any = None, workspace: Any = None,
              stream: Any = None) -> Any:
        """This solves with the factors, and returns ``out``, or a new array.

        ``b`` has the plan's shape, type and strides. ``out`` may be ``b``. The x of a system that
        was singular when it was factored is NaN; nothing is raised.
        """
        native = self.plan._native
        if stream is None:
            x = native.solve(self._memory, b, out, workspace, None, None)
            if x is not NotImplemented:
                return x
        return self.plan._run(native.solve, dict(factors=self._memory, b=b), out, stream,
                              workspace=workspace)
