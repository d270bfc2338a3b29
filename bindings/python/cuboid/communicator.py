"""Groups of ranks, and their places in the network."""

from __future__ import annotations

import atexit
import sys
import weakref
from typing import (TYPE_CHECKING, Any, Callable, List, NamedTuple, Optional, Sequence, Tuple,
                    Type)

from . import _cuboid
from ._arguments import stream_number
from ._html import table
from .collectives import _NOW, _PLANNED, _STARTED, Array, Collectives, Plan, Request

if TYPE_CHECKING:
    from mpi4py import MPI


class Traffic(NamedTuple):
    """Bytes and messages that a rank has sent and received since it started."""

    bytes_sent: int
    bytes_received: int
    messages_sent: int
    messages_received: int

    def _repr_html_(self) -> str:
        return table("Traffic", **self._asdict())


class Axis(NamedTuple):
    """An axis of a box of nodes: its extent, and whether it wraps around."""

    extent: int
    wraps: bool


class Prediction(NamedTuple):
    """The predicted time of the fastest algorithm, and its name."""

    seconds: float
    algorithm: str

    def _repr_html_(self) -> str:
        return table("Prediction", seconds=f"{self.seconds:.3g}", algorithm=self.algorithm)


class Communicator(Collectives[Array]):
    """A group of ranks that communicate among themselves. Only one thread per rank may use it.

    From mpi4py: ``Communicator.from_mpi(MPI.COMM_WORLD)``; without MPI: ``Communicator.from_pmix()``,
    ``run_ranks()``, or ``Communicator.from_exchange()``.
    """

    #: The same collectives, started: they return a Request.
    start: Collectives[Request]
    #: The same collectives, planned: they return a Plan.
    plan: Collectives[Plan]

    def __init__(self, communicator: _cuboid.Communicator) -> None:
        if not isinstance(communicator, _cuboid.Communicator):
            raise TypeError("give Communicator.from_mpi(), from_pmix(), from_exchange() or run_ranks()")
        super().__init__(communicator, _NOW)
        self.start = Collectives(communicator, _STARTED)
        self.plan = Collectives(communicator, _PLANNED)

    @classmethod
    def from_mpi(cls, communicator: Optional["MPI.Intracomm"] = None) -> "Communicator":
        """The ranks of an mpi4py communicator, by default COMM_WORLD. Collective."""
        if communicator is None:
            from mpi4py import MPI

            communicator = MPI.COMM_WORLD
        if not hasattr(communicator, "py2f"):
            raise TypeError(f"from_mpi: {type(communicator).__name__} is no communicator of mpi4py")
        return cls._of_all_ranks(_cuboid.Communicator.from_mpi(communicator.py2f()))

    @classmethod
    def from_pmix(cls) -> "Communicator":
        """All processes of a job that a launcher with PMIx started, e.g. srun --mpi=pmix. Collective."""
        return cls._of_all_ranks(_cuboid.Communicator.from_pmix())

    @classmethod
    def from_exchange(cls, rank: int, size: int,
                      exchange: Callable[[bytes], Sequence[bytes]]) -> "Communicator":
        """Ranks without MPI: ``exchange`` gathers the bytes of every rank, by rank. Collective."""
        return cls._of_all_ranks(_cuboid.Communicator.from_exchange(rank, size, exchange))

    @classmethod
    def _of_all_ranks(cls, communicator: _cuboid.Communicator) -> "Communicator":
        made = cls(communicator)
        _worlds.add(made)
        return made

    @property
    def rank(self) -> int:
        return self._communicator.rank()

    @property
    def size(self) -> int:
        return self._communicator.size()

    def split(self, colour: int, key: int = 0) -> Optional["Communicator"]:
        """The ranks of equal colour, ordered by key, then by rank; None for a negative colour."""
        part = self._communicator.split(colour, key)
        return None if part is None else Communicator(part)

    def duplicate(self) -> "Communicator":
        """A communicator of the same ranks, with separate messages. Collective."""
        return Communicator(self._communicator.duplicate())

    def shrink(self) -> "Communicator":
        """A communicator of the survivors, after an Error "peer_failed". Collective over them."""
        return Communicator(self._communicator.shrink())

    def with_algorithms(self, rules: str) -> "Communicator":
        """A communicator of the same ranks with rules as in CUBOID_ALGORITHM."""
        return Communicator(self._communicator.with_algorithms(rules))

    def on(self, stream: Any) -> "Communicator":
        """A communicator of the same ranks whose collectives begin after what ``stream`` holds.

        The stream is CuPy's, PyTorch's or Numba's, or its address, on the device of the arrays.
        """
        return Communicator(self._communicator.on(stream_number(stream)))

    def revoke(self, reason: str) -> None:
        """Tells the other ranks that this one gives up."""
        self._communicator.revoke(reason)

    def progress(self) -> None:
        """Makes progress on everything in flight."""
        self._communicator.progress()

    def traffic(self, peer: Optional[int] = None) -> Traffic:
        """The traffic of this rank with one peer, or with all."""
        return Traffic(*self._communicator.traffic(peer))

    @property
    def shape(self) -> Tuple[Axis, ...]:
        """The axes of the box of nodes that the ranks fill; empty if they fill none."""
        return tuple(Axis(*axis) for axis in self._communicator.shape())

    def coordinate(self, rank: Optional[int] = None) -> List[int]:
        """The coordinate of a rank's node in the box; by default this rank's."""
        return self._communicator.coordinate(self.rank if rank is None else rank)

    def line(self, axis: int) -> "Communicator":
        """The ranks on this rank's line along an axis, in order. Collective."""
        return Communicator(self._communicator.line(axis))

    def same_node(self, rank: int) -> bool:
        """True if a rank shares this rank's node."""
        return self._communicator.same_node(rank)

    def predict(self, operation: str, bytes: int) -> Prediction:
        """Predicts a collective on these ranks, e.g. "broadcast".

        ``bytes`` is the size of all blocks together.
        """
        return Prediction(*_cuboid.predict(self._communicator, operation, bytes))

    def free(self) -> None:
        """Frees the communicator. Not collective, but every rank should do it in the end."""
        self._communicator.free()

    def _repr_html_(self) -> str:
        if self._communicator.is_freed():
            return table("Communicator", state="freed")
        box = " × ".join(f"{axis.extent}{' (wraps)' if axis.wraps else ''}" for axis in self.shape)
        return table("Communicator", rank=self.rank, ranks=self.size, nodes=box or "no box")

    def __enter__(self) -> "Communicator":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 _: Any) -> None:
        """Frees the communicator. If an exception ends the block, the other ranks are told."""
        if error is not None and not self._communicator.is_freed():
            self._tell(error)
        self.free()

    def _tell(self, error: BaseException) -> None:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if self in _worlds:
            self._communicator.revoke(text)
        else:
            self._communicator.give_up(text)


#: The communicators of all ranks of a program, without the communicators that were made from them.
_worlds: "weakref.WeakSet[Communicator]" = weakref.WeakSet()


@atexit.register
def _tell_why_this_rank_ends() -> None:
    """If an exception ends the program, the other ranks are told the exception, not only the end."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    for communicator in list(_worlds):
        if error is not None and not communicator._communicator.is_freed():
            communicator._tell(error)


def run_ranks(ranks: int, body: Callable[[Communicator], Any]) -> None:
    """Runs ``body`` on ``ranks`` threads of this process. Each thread is a rank.

    Each rank gets its own communicator. The first exception that a body raises is raised here; the
    other ranks' waits raise an Error that names the rank and its exception. Ctrl-C ends all ranks.
    """
    if not callable(body):
        raise TypeError(f"run_ranks: give a function of a communicator, not {body!r}")
    _cuboid.run_ranks(ranks, lambda communicator: body(Communicator(communicator)))
