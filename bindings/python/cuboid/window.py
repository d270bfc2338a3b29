"""Memory that other ranks read and write."""

from __future__ import annotations

from typing import Any

from numpy.typing import DTypeLike, NDArray

from . import _cuboid
from .communicator import Communicator


class Window:
    """``bytes`` of zeroed memory on this rank. Ranks may ask for different amounts.

    Making and freeing a window are collective.
    """

    def __init__(self, communicator: Communicator, bytes: int) -> None:
        self._window = _cuboid.Window(communicator._communicator, bytes)

    def memory(self, dtype: DTypeLike = "u1") -> NDArray[Any]:
        """This rank's own memory as an array of one dimension. It is invalid after free()."""
        return self._window.memory().view(dtype)

    def put(self, mine: NDArray[Any], peer: int, offset: int = 0) -> None:
        """Writes ``mine`` to a peer's memory from byte ``offset`` on.

        Do not change ``mine`` before the flush.
        """
        self._window.put(mine, peer, offset)

    def get(self, mine: NDArray[Any], peer: int, offset: int = 0) -> None:
        """Reads a peer's memory from byte ``offset`` on. ``mine`` is valid after the flush."""
        self._window.get(mine, peer, offset)

    def flush(self) -> None:
        """Waits until every put and get of this rank is complete, at the peer as well."""
        self._window.flush()

    def fence(self) -> None:
        """Waits until every put and get of all ranks is complete. Collective."""
        self._window.fence()

    def free(self) -> None:
        """Frees the memory. Collective."""
        self._window.free()

    def __enter__(self) -> "Window":
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()
