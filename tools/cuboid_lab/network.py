"""The network as a plain graph: named nodes and cables between them."""

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Optional

from .errors import UsageError

LARGEST = 256


@dataclass(frozen=True)
class Cable:
    """A full-duplex cable between two nodes. On a shape it runs from `ends[0]` in the plus direction of `axis`."""

    ends: tuple[int, int]
    rate: int
    axis: int = 0


@dataclass(frozen=True)
class Port:
    """One end of a cable, seen from the node it is plugged into."""

    cable: int
    neighbour: int
    axis: int


@dataclass(frozen=True)
class Network:
    """Nodes and cables; a shape adds its extents and wraps, and with them a coordinate for every node."""

    names: tuple[str, ...]
    cables: tuple[Cable, ...]
    extents: Optional[tuple[int, ...]] = None
    wraps: Optional[tuple[bool, ...]] = None

    @cached_property
    def coordinates(self):
        """Coordinates by node index, row-major (last axis fastest), or None for a network without a shape."""
        if self.extents is None:
            return None
        return tuple(coordinate_of(index, self.extents) for index in range(len(self.names)))

    @cached_property
    def ports(self):
        """The ports of every node; on a shape by axis, plus before minus. A port's index is its device number."""
        ordered = [[] for _ in self.names]
        for number, cable in enumerate(self.cables):
            for side, node in enumerate(cable.ends):
                ordered[node].append((cable.axis, side, number, cable.ends[1 - side]))
        return tuple(tuple(Port(number, neighbour, axis) for axis, _, number, neighbour in sorted(ports))
                     for ports in ordered)

    def device(self, node, cable):
        """The number of the device of `node` that is an end of `cable`."""
        return next(number for number, port in enumerate(self.ports[node]) if port.cable == cable)

    def cables_between(self, a, b):
        """Numbers of all cables that join two nodes directly."""
        return [number for number, cable in enumerate(self.cables) if set(cable.ends) == {a, b}]

    def with_rate(self, cables, rate):
        """The same network with another rate on some cables."""
        changed = tuple(replace(cable, rate=rate) if number in cables else cable
                        for number, cable in enumerate(self.cables))
        return replace(self, cables=changed)

    def distances(self, origin, usable):
        """Hops from `origin` to every node over the usable cables; None for a node that cannot be reached."""
        hops = [None] * len(self.names)
        hops[origin] = 0
        waiting = deque([origin])
        while waiting:
            node = waiting.popleft()
            for port in self.ports[node]:
                if port.cable in usable and hops[port.neighbour] is None:
                    hops[port.neighbour] = hops[node] + 1
                    waiting.append(port.neighbour)
        return hops


def coordinate_of(index, extents):
    """The coordinate of a row-major index."""
    coordinate = []
    for extent in reversed(extents):
        index, place = divmod(index, extent)
        coordinate.append(place)
    return tuple(reversed(coordinate))


def check_size(nodes):
    """Refuse networks that are too large for one machine, before anything is built."""
    if nodes > LARGEST:
        raise UsageError(f"{nodes} nodes are too many: a lab holds at most {LARGEST}")
