"""Networks of any form, from a JSON file.

    {"nodes": ["a", "b", "c"],
     "cables": [{"ends": ["a", "b"], "rate": "100mbit"},
                {"ends": ["b", "c"], "rate": 20000000},
                {"ends": ["c", "a"]}]}

A rate is text such as 100mbit or a number of bits per second. A cable without one has a rate that is not known; to
emulate it, --rate says what to take. Two cables may join the same pair of nodes. Node names become host names.
"""

import json
import re

from .errors import UsageError
from .network import Cable, Network, check_size
from .rate import parse_rate

LONGEST = 1 << 20
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?")


def read_network(path, rate_if_unknown):
    """The network that a file describes. Errors name the place in the file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise UsageError(f"longer than {LONGEST} characters")
        return parse_network(text, rate_if_unknown)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file") from None
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse_network(text, rate_if_unknown):
    """The network that a JSON text describes."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}: {error.msg}") from None
    except RecursionError:
        raise UsageError("nested too deeply") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    check_keys("the network", document, required={"nodes", "cables"})
    names = node_names(document["nodes"])
    if not isinstance(document["cables"], list):
        raise UsageError("cables: expected a list")
    index = {name: number for number, name in enumerate(names)}
    cables = tuple(read_cable(f"cables[{number}]", entry, index, rate_if_unknown)
                   for number, entry in enumerate(document["cables"]))
    network = Network(names, cables)
    check_connected(network)
    return network


def check_keys(place, entry, required, optional=frozenset()):
    """An object with exactly the known keys. Otherwise a misspelt key would be ignored silently."""
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: expected an object")
    for key in sorted(required - entry.keys()):
        raise UsageError(f"{place}: {key!r} is missing")
    for key in sorted(entry.keys() - required - optional):
        raise UsageError(f"{place}: unknown key {key!r}")


def node_names(entries):
    """The node names: unique, and fit to be host names."""
    if not isinstance(entries, list) or not entries:
        raise UsageError("nodes: expected a list of at least one name")
    check_size(len(entries))
    seen = set()
    for number, name in enumerate(entries):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise UsageError(f"nodes[{number}]: {name!r} is no host name (letters, digits, inner hyphens; at most 32)")
        if name in seen or name == "localhost":
            raise UsageError(f"nodes[{number}]: the name {name!r} is taken")
        seen.add(name)
    return tuple(entries)


def read_cable(place, entry, index, rate_if_unknown):
    """One cable of the file."""
    check_keys(place, entry, required={"ends"}, optional={"rate"})
    ends = entry["ends"]
    if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, str) for end in ends):
        raise UsageError(f"{place}: ends must be two node names")
    for end in ends:
        if end not in index:
            raise UsageError(f"{place}: unknown node {end!r}")
    if ends[0] == ends[1]:
        raise UsageError(f"{place}: joins {ends[0]!r} to itself")
    if "rate" not in entry and rate_if_unknown is None:
        raise UsageError(f"{place} has no rate: give it one, or --rate for all that have none")
    try:
        rate = parse_rate(entry["rate"]) if "rate" in entry else rate_if_unknown
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from None
    return Cable((index[ends[0]], index[ends[1]]), rate)


def check_connected(network):
    """A network in two parts could never run a program across all its nodes."""
    hops = network.distances(0, set(range(len(network.cables))))
    if None in hops:
        lost = network.names[hops.index(None)]
        raise UsageError(f"not connected: no way leads from {network.names[0]!r} to {lost!r}")
