"""Groups of ranks, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from . import _cuboid
from .collectives import _NOW, _PLANNED, _STARTED, Array, Collectives, Plan, Request

if TYPE_CHECKING:
    from mpi4py import MPI


class Traffic(NamedTuple):
    """Bytes and messages that a rank has exchanged since it began."""

    bytes_sent: int
    bytes_received: int
    messages_sent: int
    messages_received: int


class Axis(NamedTuple):
    """An axis of a box of nodes: how long it is, and whether it wraps."""

    extent: int
    wraps: bool


class Prediction(NamedTuple):
    """The predicted time of the fastest algorithm, and its name."""

    seconds: float
    algorithm: str


class Communicator(Collectives[Array]):
    """A group of ranks that communicate among themselves. One thread per rank uses it.

    From mpi4py: ``Communicator.from_mpi(MPI.COMM_WORLD)``; without MPI: ``run_ranks()``, or
    ``Communicator.from_exchange()``.
    """

    #: The same collectives, started: they return a Request.
    start: Collectives[Request]
    #: The same collectives, planned: they return a Plan.
    plan: Collectives[Plan]

    def __init__(self, communicator: _cuboid.Communicator) -> None:
        super().__init__(communicator, _NOW)
        self.start = Collectives(communicator, _STARTED)
        self.plan = Collectives(communicator, _PLANNED)

    @classmethod
    def from_mpi(cls, communicator: Optional["MPI.Intracomm"] = None) -> "Communicator":
        """The ranks of one of mpi4py's communicators, by default all. Collective."""
        if communicator is None:
            from mpi4py import MPI

            communicator = MPI.COMM_WORLD
        return cls(_cuboid.Communicator.from_mpi(communicator.py2f()))

    @classmethod
    def from_exchange(cls, rank: int, size: int,
                      exchange: Callable[[bytes], Sequence[bytes]]) -> "Communicator":
        """Ranks connected by a function that gathers the bytes of every rank, by rank. Collective."""
        return cls(_cuboid.Communicator.from_exchange(rank, size, exchange))

    @property
    def rank(self) -> int:
        return self._communicator.rank()

    @property
    def size(self) -> int:
        return self._communicator.size()

    def split(self, colour: int, key: int = 0) -> Optional["Communicator"]:
        """Ranks of equal colour, ordered by key, then by rank; a negative colour gets None."""
        part = self._communicator.split(colour, key)
        return None if part is None else Communicator(part)

    def duplicate(self) -> "Communicator":
        """The same ranks, whose messages are separate from these. Collective."""
        return Communicator(self._communicator.duplicate())

    def shrink(self) -> "Communicator":
        """The surviving ranks, after an Error "peer_failed". Collective over the survivors."""
        return Communicator(self._communicator.shrink())

    def with_algorithms(self, rules: str) -> "Communicator":
        """The same ranks with rules that select algorithms, written as in CUBOID_ALGORITHM."""
        return Communicator(self._communicator.with_algorithms(rules))

    def revoke(self, reason: str) -> None:
        """Tells the other ranks that this one gives up."""
        self._communicator.revoke(reason)

    def progress(self) -> None:
        """Makes progress on everything in flight."""
        self._communicator.progress()

    def traffic(self, peer: Optional[int] = None) -> Traffic:
        """The traffic of this rank with one peer, or with all."""
        return Traffic(*self._communicator.traffic(-1 if peer is None else peer))

    @property
    def shape(self) -> Tuple[Axis, ...]:
        """The box of nodes that the ranks fill, by axis; empty where they fill none."""
        return tuple(Axis(*axis) for axis in self._communicator.shape())

    def coordinate(self, rank: Optional[int] = None) -> List[int]:
        """The place of a rank's node in that box, by default of this rank's."""
        return self._communicator.coordinate(self.rank if rank is None else rank)

    def line(self, axis: int) -> "Communicator":
        """The ranks on this rank's line along an axis, in order. Collective."""
        return Communicator(self._communicator.line(axis))

    def same_node(self, rank: int) -> bool:
        """Whether a rank shares this rank's node."""
        return self._communicator.same_node(rank)

    def predict(self, operation: str, bytes: int) -> Prediction:
        """Predicts a collective here, e.g. "broadcast"; ``bytes`` are those of all blocks together."""
        return Prediction(*_cuboid.predict(self._communicator, operation, bytes))

    def free(self) -> None:
        """Frees the communicator. Not collective, but every rank should do it in the end."""
        self._communicator.free()

    def __enter__(self) -> "Communicator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.free()


def run_ranks(ranks: int, body: Callable[[Communicator], Any]) -> None:
    """Runs ``body`` on so many ranks, each a thread of this process with its own communicator.

    The first exception that a body raises is raised here. The other ranks are told.
    """
    _cuboid.run_ranks(ranks, lambda communicator: body(Communicator(communicator)))
