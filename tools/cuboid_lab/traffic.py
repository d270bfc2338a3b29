"""The bytes that each cable carried in each direction, counted at the sender."""

from dataclasses import dataclass

from .addresses import device_name
from .namespaces import ask


@dataclass(frozen=True)
class Flow:
    """The traffic of one direction of a cable since the last reset.

    The share is how long it was busy, its bytes at the cable's rate, relative to the busiest direction.
    """

    cable: int
    sender: int
    receiver: int
    bytes: int
    share: float


def parse_sent(text):
    """Bytes sent by device, from the text of /proc/net/dev."""
    sent = {}
    for line in text.splitlines()[2:]:
        device, _, fields = line.partition(":")
        sent[device.strip()] = int(fields.split()[8])
    return sent


def read_counters(lab):
    """For every cable the bytes that its first end and its second end have sent."""
    network = lab.network
    sent = [parse_sent(text) for text in ask(lab, range(len(network.names)), "cat", "/proc/net/dev")]
    return [tuple(sent[node][device_name(network.device(node, number))] for node in cable.ends)
            for number, cable in enumerate(network.cables)]


def compute_flows(network, counters, counted_from):
    """Both directions of every cable, in the order of the cables."""
    carried = [[now - then for now, then in zip(*pair)] for pair in zip(counters, counted_from)]
    busy = [[amount / cable.rate for amount in both] for both, cable in zip(carried, network.cables)]
    longest = max((time for both in busy for time in both), default=0) or 1
    return [Flow(number, cable.ends[side], cable.ends[1 - side], carried[number][side], busy[number][side] / longest)
            for number, cable in enumerate(network.cables) for side in (0, 1)]
