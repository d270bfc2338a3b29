"""Checks arguments, with clearer messages than the extension module has."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Type, TypeVar

import numpy
from numpy.typing import NDArray

Kind = TypeVar("Kind")


def require(argument: Any, kind: Type[Kind], name: str) -> Kind:
    if not isinstance(argument, kind):
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a cuboid.{kind.__name__}")
    return argument


def array(argument: Any, name: str) -> NDArray[Any]:
    """An array itself, without a copy; a list or a number as a new array."""
    if isinstance(argument, numpy.ndarray):
        return argument
    made = numpy.asarray(argument)
    if made.dtype.kind not in "biufc":
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a NumPy array, a list or a number")
    return made


def together(left: Any, right: Any) -> Tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays, or lists as new arrays, in the type that can hold both, at least float32."""
    two = array(left, "a"), array(right, "b")
    dtype = numpy.result_type(*two, numpy.float32)
    return two[0].astype(dtype, copy=False), two[1].astype(dtype, copy=False)


def one_of(names: Dict[str, int], name: Any, what: str) -> int:
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} {name!r}: give one of {', '.join(map(repr, names))}")
    return names[name]
