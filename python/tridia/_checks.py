# Copyright (c) the tridia authors. SPDX-License-Identifier: BSD-3-Clause
"""Arguments that are not arrays: checked here, with sentences that begin with their names."""

import operator
from typing import Any

import numpy

_TYPES = ("float32", "float64", "complex64", "complex128")
_SHORT = {"float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128"}


def integer(name: str, value: Any, least: int = -(2**63), most: int = 2**63 - 1) -> int:
    """This returns an integer, at least ``least`` and at most ``most``."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an integer, not {type(value).__name__}") from None
    if not least <= value <= most:
        raise ValueError(f"{name}: {value} is not from {least} to {most}")
    return value


def integers(name: str, values: Any, least: int = -(2**63)) -> list[int]:
    """This returns a list of 64-bit integers; one integer is a list of one."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name}: must be integers, not {values!r}")
    try:
        values = list(values)
    except TypeError:
        values = [values]
    return [integer(name, v, least) for v in values]


def flag(name: str, value: Any) -> bool:
    """This returns True or False."""
    if isinstance(value, (bool, numpy.bool_)):
        return bool(value)
    raise TypeError(f"{name}: must be True or False, not {type(value).__name__}")


def number(name: str, value: Any) -> float:
    """This returns a real number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: must be a real number, not {value!r}") from None


def choice(name: str, value: Any, known: Any) -> str:
    """This returns one of the names in ``known``."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: must be one of {', '.join(known)}, not {value!r}")
    if value not in known:
        raise ValueError(f"{name}: {value!r} is none of {', '.join(known)}")
    return value


def type_name(dtype: Any) -> str:
    """This returns the name of one of the four types; dtypes of NumPy and of torch are taken."""
    text = str(dtype)
    if text.startswith("torch."):
        name = text[6:]
    else:
        try:
            name = numpy.dtype(dtype).name
        except TypeError:
            raise TypeError(f"dtype: {dtype!r} is no type of array elements") from None
    if name not in _TYPES:
        raise TypeError(f"dtype: is {name}, but must be one of {', '.join(_TYPES)}")
    return name


def short_type(name: str) -> str:
    """This returns the library's own name of a type: f64 for float64."""
    return _SHORT[name]


def device(value: Any) -> tuple[bool, int]:
    """This returns whether a device is a GPU, and its number (-1 for the current one)."""
    if value is None:
        return False, -1
    if isinstance(value, int) and not isinstance(value, bool):
        return True, integer("device", value, 0, 2**31 - 1)
    text = str(value)
    if text == "cpu":
        return False, -1
    kind, _, number_text = text.partition(":")
    if kind == "cuda" and (number_text.isdigit() or text == "cuda"):
        return True, int(number_text) if number_text else -1
    raise ValueError(f"device: {text!r} is none of \"cpu\", \"cuda\", \"cuda:0\", …")
