"""Checks of arguments that the extension module would refuse in its own words."""

from __future__ import annotations

from typing import Any, Dict, Type, TypeVar

import numpy
from numpy.typing import NDArray

Kind = TypeVar("Kind")


def require(argument: Any, kind: Type[Kind], name: str) -> Kind:
    if not isinstance(argument, kind):
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a cuboid.{kind.__name__}")
    return argument


def array(argument: Any, name: str) -> NDArray[Any]:
    if not isinstance(argument, numpy.ndarray):
        raise TypeError(f"{name} is of type {type(argument).__name__}; give a NumPy array")
    return argument


def one_of(names: Dict[str, int], name: Any, what: str) -> int:
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"{what} {name!r}: give one of {', '.join(map(repr, names))}")
    return names[name]
