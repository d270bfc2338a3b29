"""Memory that other ranks read and write."""

from __future__ import annotations

from typing import Any, Optional, Type

from numpy.typing import DTypeLike, NDArray

from . import _cuboid
from ._arguments import require
from .communicator import Communicator
from .matrix import DevicePart


class Window:
    """``bytes`` of zeroed memory on this rank. Ranks may ask for different amounts.

    With ``device`` it is memory of the CUDA device of that number; ranks may differ. Making and
    freeing a window are collective.
    """

    def __init__(self, communicator: Communicator, bytes: int, device: Optional[int] = None) -> None:
        ranks = require(communicator, Communicator, "communicator")
        self._window = _cuboid.Window(ranks._communicator, bytes, device)
        self._device = device

    def memory(self, dtype: DTypeLike = "u1") -> NDArray[Any]:
        """This rank's own memory as an array of one dimension.

        Other ranks no longer reach it after free(), but it lives as long as arrays of it.
        """
        if self._device is not None:
            raise ValueError(f"the window lies on device {self._device}: use memory_on_device()")
        return self._window.memory().view(dtype)

    def memory_on_device(self, dtype: DTypeLike = "u1") -> DevicePart:
        """This rank's own memory on the device, for libraries that use the device."""
        if self._device is None:
            raise ValueError("the window lies in the host's memory: use memory()")
        return DevicePart(self._window.memory().view(dtype))

    def put(self, mine: Any, peer: int, offset: int = 0) -> None:
        """Writes ``mine`` to a peer's memory from byte ``offset`` on.

        Do not change ``mine`` before the flush. It may be an array in a device's memory.
        """
        self._window.put(mine, peer, offset)

    def get(self, mine: Any, peer: int, offset: int = 0) -> None:
        """Reads a peer's memory from byte ``offset`` on. ``mine`` is valid after the flush.

        It may be an array in a device's memory.
        """
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

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 _: Any) -> None:
        """Frees the memory. If an exception ends the block, it waits for no other rank."""
        if error is None:
            self.free()
        else:
            self._window.free_alone()

    def __repr__(self) -> str:
        if self._window.is_freed():
            return "<cuboid.Window, freed>"
        return f"<cuboid.Window of {self._window.memory().size} bytes>"
