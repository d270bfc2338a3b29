"""Matrices distributed over the ranks."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _cuboid
from ._arguments import require
from ._html import table
from .communicator import Communicator

Pair = Tuple[int, int]


class DevicePart:
    """This rank's part of a matrix or window in a device's memory: ``cupy.asarray(part)``,
    ``torch.as_tensor(part)``.

    A matrix's part is in Fortran's order. It keeps the matrix or window alive.
    """

    def __init__(self, part: NDArray[Any]) -> None:
        self._part = part
        self.shape: Tuple[int, ...] = part.shape

    def __repr__(self) -> str:
        return f"<cuboid DevicePart of shape {self.shape}>"

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        part = self._part
        return {"shape": part.shape, "typestr": part.dtype.str, "strides": part.strides,
                "data": (part.ctypes.data, False), "version": 3}


class Matrix:
    """An m×n matrix in ScaLAPACK's layout: blocks, distributed cyclically to a process grid.

    ``block`` (0, 0) means one block per rank. ``grid`` (0, 0) means that the grid is chosen for the
    number of ranks. Ranks are numbered along grid rows. ``dtype`` is float32, float64, complex64 or
    complex128. Elements are uninitialised. Every rank makes the same matrix. With ``device`` this
    rank's part is in the memory of the CUDA device of that number.
    """

    def __init__(self, communicator: Communicator, m: int, n: int, dtype: DTypeLike = "f8",
                 block: Pair = (0, 0), grid: Pair = (0, 0), device: Optional[int] = None) -> None:
        ranks = require(communicator, Communicator, "communicator")
        self._of(ranks, m, n, _cuboid.Matrix.create(
            ranks._communicator, m, n, numpy.dtype(dtype), block, grid, device))

    def _of(self, communicator: Communicator, m: int, n: int, matrix: _cuboid.Matrix) -> None:
        self.communicator = communicator
        self.shape = (m, n)
        self._matrix = matrix
        self._ranks = communicator.size

    @classmethod
    def wrap(cls, communicator: Communicator, m: int, n: int, local: Any,
             block: Pair = (0, 0), grid: Pair = (0, 0)) -> "Matrix":
        """A matrix whose local part is ``local``, an array in Fortran's order, without a copy.

        It has exactly the rows and columns that the layout gives this rank. It may lie in a
        device's memory (CuPy, PyTorch); wait for what writes it in other streams than the default.
        """
        ranks = require(communicator, Communicator, "communicator")
        made = cls.__new__(cls)
        made._of(ranks, m, n, _cuboid.Matrix.wrap(ranks._communicator, m, n, local, block, grid))
        return made

    @classmethod
    def from_array(cls, communicator: Communicator, whole: ArrayLike, block: Pair = (0, 0),
                   grid: Pair = (0, 0)) -> "Matrix":
        """A matrix of which each rank takes its part of an array (m, n) that all ranks have."""
        elements = numpy.asarray(whole)
        if elements.ndim != 2:
            raise ValueError(f"an array of shape {elements.shape} is no matrix: give one of two dimensions, "
                             "e.g. vector[:, None]")
        m, n = elements.shape
        made = cls(communicator, m, n, elements.dtype, block, grid)
        made.local[...] = elements[numpy.ix_(*made.global_indices())]
        return made

    def to_array(self) -> NDArray[Any]:
        """The whole matrix (m, n) on every rank, for small matrices. Collective."""
        ranks = self.communicator
        if min(self.shape) == 0:
            return numpy.empty(self.shape, self.dtype, order="F")
        whole = Matrix(ranks, *self.shape, self.dtype, self.shape)
        _cuboid.redistribute(0, self._matrix, whole._matrix)
        everything = numpy.empty(self.shape, self.dtype, order="F")
        if ranks.rank == 0:
            everything[...] = whole.local
        return ranks.broadcast(everything)

    @property
    def local(self) -> NDArray[Any]:
        """This rank's part, in place, in Fortran's order."""
        if self.device is not None:
            raise ValueError(f"this rank's part lies on device {self.device}: use local_on_device")
        return self._matrix.part()

    @property
    def local_on_device(self) -> DevicePart:
        """This rank's part in a device's memory, in place, for libraries that use the device."""
        if self.device is None:
            raise ValueError("this rank's part lies in the host's memory: use local")
        return DevicePart(self._matrix.part())

    @property
    def device(self) -> Optional[int]:
        """The number of the CUDA device that has this rank's part; None for the host's memory."""
        return self._matrix.device()

    @property
    def dtype(self) -> "numpy.dtype[Any]":
        return self._matrix.type()

    def global_indices(self) -> Tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """The global rows and columns that ``local`` holds: as many as it has of each."""
        return self._matrix.global_indices()

    def fill_random(self, seed: int = 0) -> "Matrix":
        """Uniform values in [-1, 1) that depend on seed, row and column, not on the layout."""
        self._matrix.fill_random(seed)
        return self

    def like(self, m: Optional[int] = None, n: Optional[int] = None) -> "Matrix":
        """A new matrix of this type over the same ranks, in one block per rank, on this device."""
        return Matrix(self.communicator, self.shape[0] if m is None else m,
                      self.shape[1] if n is None else n, self.dtype, device=self.device)

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<cuboid.Matrix {m}x{n} of {self.dtype} on {self._ranks} ranks>"

    def _repr_html_(self) -> str:
        m, n = self.shape
        if self._matrix.is_freed():
            return table("Matrix", size=f"{m} × {n}", state="freed")
        rows, columns = self._matrix.part().shape
        return table("Matrix", size=f"{m} × {n}", type=self.dtype, ranks=self._ranks,
                     part_of_this_rank=f"{rows} × {columns}")
