"""Predicted costs of collectives on any network, which need not exist.

``cuboid.model.broadcast(1 << 20, "torus:8x8x8", "bgp")`` returns the predicted seconds of the
fastest algorithm, and its name. Each node has one rank. ``bytes`` is the size of the message, all
blocks together. ``shape`` is written as in CUBOID_TOPOLOGY ("torus:4x4@100mbit", "mesh:8").
``machine`` is one of machines(), or a file of measured parameters.
"""

from __future__ import annotations

from typing import List

from . import _cuboid
from .communicator import Prediction


def machines() -> List[str]:
    """The machines whose parameters are known by name."""
    return _cuboid.machines()


def _predict(operation: str, bytes: int, shape: str, machine: str) -> Prediction:
    return Prediction(*_cuboid.predict_on_shape(operation, bytes, shape, machine))


def broadcast(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("broadcast", bytes, shape, machine)


def reduce(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("reduce", bytes, shape, machine)


def allreduce(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("allreduce", bytes, shape, machine)


def allgather(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("allgather", bytes, shape, machine)


def reduce_scatter(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("reduce_scatter", bytes, shape, machine)


def gather(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("gather", bytes, shape, machine)


def scatter(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("scatter", bytes, shape, machine)


def alltoall(bytes: int, shape: str, machine: str = "bgp") -> Prediction:
    return _predict("alltoall", bytes, shape, machine)
