"""Checks arguments, with clearer messages than the extension module has."""

from __future__ import annotations

import operator
from typing import Any, Dict, Tuple, Type, TypeVar

import numpy
from numpy.typing import NDArray

Kind = TypeVar("Kind")


def require(argument: Any, kind: Type[Kind], name: str) -> Kind:
    if not isinstance(argument, kind):
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a cuboid.{kind.__name__}")
    return argument


def is_on_device(argument: Any) -> bool:
    """True for an array on a device: of CuPy, PyTorch, JAX, Numba, …"""
    if isinstance(argument, numpy.ndarray):
        return False
    if hasattr(argument, "__cuda_array_interface__"):
        return True
    of_cuda = (2, 13)  # DLPack's numbers of devices' and of managed memory
    return hasattr(argument, "__dlpack_device__") and argument.__dlpack_device__()[0] in of_cuda


def stream_number(stream: Any) -> int:
    """The address of a CUDA stream: a number, or a stream of CuPy, PyTorch or Numba."""
    for name in ("ptr", "cuda_stream"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return operator.index(getattr(stream, "handle", stream))


def new_array(like: Any, shape: Any, order: str = "C", zero: bool = False) -> Any:
    """An array of another shape in the memory in which ``like`` lies."""
    make: Any = None
    if not is_on_device(like):
        make = numpy.zeros if zero else numpy.empty
        return make(shape, like.dtype, order=order)
    if hasattr(like, "new_empty"):  # PyTorch
        return like.new_zeros(shape) if zero else like.new_empty(shape)
    if hasattr(like, "__array_function__"):  # CuPy
        make = numpy.zeros_like if zero else numpy.empty_like
        return make(like, shape=shape, order=order)
    raise TypeError(f"an array on a device of type {type(like).__name__}: give the output, too")


def array(argument: Any, name: str) -> NDArray[Any]:
    """An array itself, without a copy; a list or a number as a new array."""
    if isinstance(argument, numpy.ndarray):
        return argument
    made = numpy.asarray(argument)
    if made.dtype.kind not in "biufc":
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a NumPy array, a list or a number")
    return made


def array_anywhere(argument: Any, name: str) -> Any:
    """An array itself, also on a device; a list or a number as a new array."""
    if is_on_device(argument):
        return argument
    if hasattr(argument, "__dlpack__") and not hasattr(argument, "__array__"):
        argument = numpy.from_dlpack(argument)
    return array(argument, name)


def together(left: Any, right: Any) -> Tuple[NDArray[Any], NDArray[Any]]:
    """Two arrays, or lists as new arrays, in the type that can hold both, at least float32."""
    two = array(left, "a"), array(right, "b")
    dtype = numpy.result_type(*two, numpy.float32)
    return two[0].astype(dtype, copy=False), two[1].astype(dtype, copy=False)


def one_of(names: Dict[str, int], name: Any, what: str) -> int:
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} {name!r}: give one of {', '.join(map(repr, names))}")
    return names[name]
