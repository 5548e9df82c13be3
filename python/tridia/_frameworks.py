# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""What the frameworks differ in: how an array is described, where new ones and streams come from.

NumPy's arrays need nothing of this: the extension reads their buffers. For each other framework a
class here has the functions of ``Numpy``.
"""

import contextlib
import sys
from typing import Any

import numpy

from tridia import _native


_NOTHING = contextlib.nullcontext()
# A type's own name takes NumPy a microsecond.
_NAMES = {numpy.dtype(name): name for name in ("float32", "float64", "complex64", "complex128")}


class Numpy:
    """This describes arrays of NumPy, and those of other libraries on a CPU, by DLPack."""

    name = "numpy"
    cuda = False
    device = -1

    def asarray(self, name, x):
        """This returns an array of this framework: NumPy makes one of anything."""
        if isinstance(x, numpy.ma.MaskedArray):
            raise TypeError(f"{name}: is a masked array, whose mask would be ignored: fill it")
        if not isinstance(x, numpy.ndarray) and hasattr(x, "__dlpack__"):
            return numpy.from_dlpack(x)
        return numpy.asarray(x)

    def dtype(self, x):
        return x.dtype

    def cast(self, x, dtype):
        whole = x.flags.aligned and all(s % x.itemsize == 0 for s in x.strides)
        return x if whole and x.dtype == dtype and x.dtype.isnative else x.astype(dtype)

    def describe(self, name, x):
        return x

    def empty(self, shape, dtype):
        return numpy.empty(shape, dtype)

    def copy_like(self, x, strides):
        """This returns a copy of x with these strides (in elements), and whether it is one."""
        return numpy.ascontiguousarray(x)

    def strides(self, x):
        return tuple(s // x.itemsize for s in x.strides)

    def stream(self, stream):
        if stream is not None:
            raise ValueError(f"stream: {stream!r} was given, but the arrays are on the CPU, which "
                             "has none")
        return 0

    def current(self, stream):
        return contextlib.nullcontext()

    def allocator(self):
        return None


class _Device:
    """This holds what all frameworks with GPUs have in common."""

    def cast(self, x, dtype):
        return x if self.dtype(x) == dtype else x.astype(dtype)

    def allocator(self):
        return self.empty

    def current(self, stream):
        return _NOTHING


class Torch(_Device):
    """This describes tensors of PyTorch, on a CPU or a GPU."""

    name = "torch"

    def __init__(self, like):
        self.torch = sys.modules["torch"]
        self.where = like.device
        self.cuda = like.is_cuda
        self.device = like.device.index if self.cuda else -1

    def asarray(self, name, x):
        if isinstance(x, self.torch.Tensor):
            return x
        return self.torch.as_tensor(x, device=self.where)

    def dtype(self, x):
        return numpy.dtype(_torch_name(name=str(x.dtype)))

    def cast(self, x, dtype):
        if not isinstance(dtype, self.torch.dtype):
            dtype = getattr(self.torch, numpy.dtype(dtype).name)
        return x if x.dtype is dtype else x.to(dtype)

    def describe(self, name, x):
        if not isinstance(x, self.torch.Tensor):
            raise TypeError(f"{name}: is a {_kind_text(x)}, but the other arrays are tensors of "
                            "torch")
        if x.requires_grad and self.torch.is_grad_enabled():
            raise ValueError(f"{name}: requires a gradient, which this call does not compute: use "
                             "tridia.solve or tridia.derivative, or torch.no_grad()")
        if self.torch._C._functorch.is_functorch_wrapped_tensor(x):
            raise TypeError(f"{name}: is traced by torch.func, which this call is not made for: "
                            "use tridia.solve or tridia.derivative")
        if x.is_conj() or x.is_neg():
            if name in ("out", "status", "workspace"):
                raise ValueError(f"{name}: is a conjugated or negated view, which is not written")
            x = x.resolve_conj().resolve_neg()
        # The extension reads tensors by DLPack's interface in C, which torch has since 2.10.
        if type(x) is self.torch.Tensor and hasattr(x, "__dlpack_c_exchange_api__"):
            return x
        if x.layout is not self.torch.strided or x.device.type not in ("cpu", "cuda"):
            raise TypeError(f"{name}: is a tensor of layout {x.layout} on {x.device}, but must be "
                            "strided, on a CPU or a CUDA GPU")
        x = x.detach()
        index = x.device.index if x.is_cuda else -1
        return _native.Array(x.data_ptr(), str(x.dtype)[6:], tuple(x.shape), x.stride(), x.is_cuda,
                             index, False, x)

    def empty(self, shape, dtype):
        return self.torch.empty(shape, dtype=getattr(self.torch, dtype), device=self.where)

    def copy_like(self, x, strides):
        return x.contiguous()

    def strides(self, x):
        return tuple(x.stride())

    def stream(self, stream):
        if not self.cuda:
            return Numpy().stream(stream)
        if stream is None:
            return self.torch._C._cuda_getCurrentRawStream(self.device)
        return stream_pointer(stream)

    def current(self, stream):
        if stream is None or not self.cuda:
            return _NOTHING
        # Workspace is freed for the stream that it was allocated on.
        external = self.torch.cuda.ExternalStream(stream_pointer(stream), self.where)
        return self.torch.cuda.stream(external)


class Cupy(_Device):
    """This describes arrays of CuPy."""

    name = "cupy"
    cuda = True

    def __init__(self, like):
        self.cupy = sys.modules["cupy"]
        self.device = like.device.id

    def asarray(self, name, x):
        return x if isinstance(x, self.cupy.ndarray) else self.cupy.asarray(x)

    def dtype(self, x):
        return x.dtype

    def describe(self, name, x):
        if not isinstance(x, self.cupy.ndarray):
            raise TypeError(f"{name}: is a {_kind_text(x)}, but the other arrays are CuPy's")
        return x

    def empty(self, shape, dtype):
        return _empty_cupy(self.cupy, self.device, shape, dtype)

    def copy_like(self, x, strides):
        return self.cupy.ascontiguousarray(x)

    def strides(self, x):
        return tuple(s // x.itemsize for s in x.strides)

    def stream(self, stream):
        if stream is None:
            return self.cupy.cuda.get_current_stream(self.device).ptr
        return stream_pointer(stream)

    def current(self, stream):
        if stream is None:
            return contextlib.nullcontext()
        return self.cupy.cuda.ExternalStream(stream_pointer(stream), self.device)


class CudaInterface(_Device):
    """This describes arrays that have ``__cuda_array_interface__`` alone, as Numba's.

    Work goes to the stream that they name. Results are written into ``out``, as nothing is known of
    how to make such an array.
    """

    name = "cuda"
    cuda = True
    device = -1  # the current one; the library compares it with where memory is

    def __init__(self, like):
        self.streams = set()

    def asarray(self, name, x):
        return x

    def dtype(self, x):
        return numpy.dtype(x.__cuda_array_interface__["typestr"])

    def cast(self, x, dtype):
        if self.dtype(x) != dtype:
            raise TypeError(f"dtype: one array is of {self.dtype(x)}, but others are of {dtype}")
        return x

    def describe(self, name, x):
        if isinstance(x, _native.Array):
            return x
        interface = getattr(x, "__cuda_array_interface__", None)
        if interface is None:
            raise TypeError(f"{name}: is a {_kind_text(x)}, but the other arrays have "
                            "__cuda_array_interface__")
        if interface.get("mask") is not None:
            raise TypeError(f"{name}: has a mask, which would be ignored")
        address, readonly = interface["data"]
        dtype, shape = numpy.dtype(interface["typestr"]), tuple(interface["shape"])
        if interface.get("stream") is not None:
            self.streams.add(interface["stream"])
        return _native.Array(address, dtype.name, shape, _strides(interface, dtype), True, -1,
                             bool(readonly), x)

    def allocator(self):
        return lambda shape, dtype: self.describe("workspace", self.empty(shape, dtype))

    def empty(self, shape, dtype):
        if "cupy" in sys.modules:
            return _empty_cupy(sys.modules["cupy"], self.device, shape, dtype)
        if "torch" in sys.modules:
            torch = sys.modules["torch"]
            return torch.empty(shape, dtype=getattr(torch, dtype), device="cuda")
        raise ValueError("out: is needed, and for a plan a workspace: neither CuPy nor torch is "
                         "imported, which could make an array on the GPU")

    def copy_like(self, x, strides):
        raise ValueError("b: is not dense in C order")

    def strides(self, x):
        interface = x.__cuda_array_interface__
        return _strides(interface, numpy.dtype(interface["typestr"]))

    def stream(self, stream):
        if stream is not None:
            return stream_pointer(stream)
        if len(self.streams) > 1:
            raise ValueError(f"stream: is needed, as the arrays are of streams {self.streams}")
        return next(iter(self.streams), 0)


def _empty_cupy(cupy, device, shape, dtype):
    if device < 0 or device == cupy.cuda.runtime.getDevice():
        return cupy.ndarray(shape, dtype)
    with cupy.cuda.Device(device):
        return cupy.ndarray(shape, dtype)


# The extension calls these two, for arrays that it takes as they are.

def empty_cupy(like: Any, shape: Any, dtype: Any) -> Any:
    """This returns a new array of CuPy where another one lies, and of its type for None."""
    return _empty_cupy(sys.modules["cupy"], like.data.device_id, shape, dtype or like.dtype)


def empty_tensor(like: Any, shape: Any, dtype: str) -> Any:
    """This returns a new tensor where another one lies."""
    return like.new_empty(shape, dtype=getattr(sys.modules["torch"], dtype))


def _strides(interface, dtype):
    """Returns the strides of an interface in elements."""
    given, shape = interface.get("strides"), interface["shape"]
    if given is not None:
        if any(s % dtype.itemsize for s in given):
            raise ValueError(f"strides: {given} bytes are no multiples of {dtype.itemsize}")
        return tuple(s // dtype.itemsize for s in given)
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= max(extent, 1)
    return tuple(strides)


def _torch_name(name):
    name = name.removeprefix("torch.")
    return {"bfloat16": "void16"}.get(name, name)


def stream_pointer(stream: Any) -> int:
    """This returns the address of a stream: an integer, or a stream of torch, CuPy or Numba."""
    for attribute in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, attribute, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    raise TypeError(f"stream: must be a stream's address or a stream of a framework, not "
                    f"{type(stream).__name__}")


def _kind_text(x):
    return f"{type(x).__module__.partition('.')[0]}.{type(x).__name__}"


def _package(x):
    for base in type(x).__mro__[:-1]:
        package = base.__module__.partition(".")[0]
        if package in ("numpy", "torch", "cupy", "jax", "jaxlib"):
            return "jax" if package == "jaxlib" else package
    return None


def is_jax(*arrays: Any) -> bool:
    """This returns whether any of these is an array of JAX, or traced by it."""
    return "jax" in sys.modules and any(_package(x) == "jax" for x in arrays)


def _is_neutral(x):
    """Numbers and sequences go with any framework."""
    return x is None or isinstance(x, (int, float, complex, list, tuple, numpy.generic))


_tensor_alone: set[type] = set()  # torch.Tensor, once one was met


def framework_of(**arrays: Any) -> Any:
    """This returns the framework of these arrays; throws TypeError where they are of several."""
    if {type(x) for x in arrays.values() if x is not None} == _tensor_alone:
        return Torch(next(x for x in arrays.values() if x is not None))
    found = name = None
    for argument, x in arrays.items():
        if _is_neutral(x):
            continue
        package = _package(x)
        if package is None and hasattr(x, "__cuda_array_interface__"):
            package = "cuda"
        elif package is None and not hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
            raise TypeError(f"{argument}: must be an array (NumPy's, CuPy's, PyTorch's, JAX's, or "
                            f"one with DLPack), not {type(x).__name__}")
        package = package or "numpy"
        if found is not None and found != package:
            raise TypeError(f"{argument}: is a {_kind_text(x)}, but {name} is a "
                            f"{_kind_text(arrays[name])}: arrays of one framework are needed")
        if found is None:
            found, name = package, argument
    if found == "torch":
        _tensor_alone.add(sys.modules["torch"].Tensor)
        return Torch(next(x for x in arrays.values() if _package(x) == "torch"))
    if found == "cuda":
        return CudaInterface(arrays[name])
    if found == "cupy":
        return Cupy(next(x for x in arrays.values() if _package(x) == "cupy"))
    return Numpy()


def common_type(framework: Any, **arrays: Any) -> str:
    """This returns the type that arrays are promoted to: one of the four, by its NumPy name."""
    of_all = {getattr(x, "dtype", None) for x in arrays.values()}
    if len(of_all) == 1 and (name := _NAMES.get(of_all.pop())):
        return name
    dtypes = []
    for name, x in arrays.items():
        if isinstance(x, (bool, int, float, complex)):
            dtypes.append(x)
            continue
        dtype = framework.dtype(framework.asarray(name, x))
        if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
            raise TypeError(f"{name}: is of {dtype}, but must be of real or complex numbers of "
                            "float64's precision or less")
        dtypes.append(dtype)
    promoted = numpy.result_type(*dtypes)
    if promoted.kind in "biu":
        return "float64"
    return "float32" if promoted == numpy.float16 else promoted.name
