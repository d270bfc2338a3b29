"""A lab on disk: one folder, which is a small file system of its own. Unmounting it removes everything in it.

    /run/cuboid-lab/NAME/
        state.json          what was built, and what was changed later; written last: without it a lab is incomplete
        hosts, enter, agent the file that nodes read as /etc/hosts; scripts that enter a node
        tmp/                session folders of MPI
        nodes/n0/           net, uts, ipc: the namespaces of a node; shm: its /dev/shm
"""

import fcntl
import json
import os
import re
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import LabError, UsageError
from .network import Cable, Network

ROOT = Path("/run/cuboid-lab")


@dataclass
class Lab:
    """A lab that is up."""

    name: str
    spec: str
    ranks_per_node: int
    network: Network
    tcp: str = "default"
    cut: set[int] = field(default_factory=set)
    killed: set[int] = field(default_factory=set)
    counted_from: list[tuple[int, int]] = field(default_factory=list)
    counted_since: float = 0  # seconds since the epoch

    @property
    def folder(self):
        """The folder of the lab."""
        return folder_of(self.name)

    def node_folder(self, node):
        """The folder in which the namespaces of a node are pinned."""
        return self.folder / "nodes" / self.network.names[node]

    def usable(self):
        """The cables that carry traffic: they are neither cut nor cables of a killed node."""
        return {number for number, cable in enumerate(self.network.cables)
                if number not in self.cut and self.killed.isdisjoint(cable.ends)}

    def survivors(self):
        """The nodes that have not been killed."""
        return [node for node in range(len(self.network.names)) if node not in self.killed]

    def save(self):
        """Write the state completely or not at all."""
        document = asdict(self) | {"cut": sorted(self.cut), "killed": sorted(self.killed)}
        draft = self.folder / "state.draft"
        draft.write_text(json.dumps(document), encoding="utf-8")
        os.replace(draft, self.folder / "state.json")


def check_name(name):
    """Refuse names that cannot be the name of a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", name):
        raise UsageError(f"bad lab name {name!r}: letters, digits, '-' and '_', at most 32")


def folder_of(name):
    """The folder of a lab, whether it exists or not."""
    check_name(name)
    return ROOT / name


def lab_names():
    """All labs on this machine, also incomplete labs."""
    return sorted(path.name for path in ROOT.iterdir()) if ROOT.is_dir() else []


def load_lab(name):
    """The lab of that name, which must be up."""
    folder = folder_of(name)
    try:
        document = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        if folder.is_dir():
            raise LabError(f"lab '{name}' is only half built: remove it with 'lab down --name {name}'") from None
        raise no_such_lab(name) from None
    network = document.pop("network")
    document["network"] = Network(
        names=tuple(network["names"]),
        cables=tuple(Cable(tuple(cable["ends"]), cable["rate"], cable["axis"]) for cable in network["cables"]),
        extents=network["extents"] and tuple(network["extents"]),
        wraps=network["wraps"] and tuple(network["wraps"]))
    return Lab(**document | {"cut": set(document["cut"]), "killed": set(document["killed"])})


def no_such_lab(name):
    """The error for a lab that does not exist. It names the labs that do."""
    others = ", ".join(lab_names())
    hint = f"there is {others}" if others else "start one with 'lab up torus:4x4'"
    return UsageError(f"no lab named '{name}': {hint}")


@contextmanager
def changing(name):
    """The lab, locked against other commands that would change it at the same time."""
    try:
        handle = os.open(folder_of(name), os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        raise no_such_lab(name) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield load_lab(name)
    finally:
        os.close(handle)
