"""Builds a lab, breaks it on purpose, and takes it down.

A change is written to disk before it is made. After a crash in between, making or undoing the change repairs the lab.
"""

import time

from . import namespaces, processes
from .addresses import device_name, hosts_file
from .errors import UsageError
from .routes import compute_routes
from .signals import ignore_end
from .state import Lab, folder_of, lab_names, no_such_lab
from .traffic import read_counters
from .wiring import cable_lines, device_lines, rate_line, rate_lines, route_lines


def bring_up(name, spec, network, ranks_per_node, tcp):
    """Build a lab; if that fails or is interrupted, undo what was built."""
    lab = Lab(name, spec, ranks_per_node, network, tcp)
    namespaces.claim_folder(lab.folder)
    try:
        build(lab)
    except BaseException:
        ignore_end()
        namespaces.remove(lab.folder)
        raise
    return lab


def build(lab):
    """Make nodes, cables, rates and routes, and at last the state, which declares the lab complete."""
    everyone = range(len(lab.network.names))
    namespaces.fill_folder(lab.folder, hosts_file(lab.network))
    namespaces.make_nodes(lab)
    namespaces.lay_cables(cable_lines(lab.network, lambda node: namespaces.network_namespace(lab, node)))
    routes = compute_routes(lab.network, lab.usable())
    namespaces.tell(lab, everyone, "tc", lambda node: rate_lines(lab.network, node))
    namespaces.tell(lab, everyone, "ip", lambda node: (device_lines(lab.network, node)
                                                       + route_lines(lab.network, lab.usable(), routes, node)))
    lab.counted_from, lab.counted_since = read_counters(lab), time.time()
    lab.save()


def take_down(name):
    """Remove a lab in whatever state it is."""
    if name not in lab_names():
        raise no_such_lab(name)
    namespaces.remove(folder_of(name))


def cut(lab, a, b):
    """Take down one cable between two nodes and route around it. Returns its number."""
    usable = lab.usable()
    whole = [cable for cable in joining(lab, a, b) if cable in usable]
    if not whole:
        raise UsageError(f"no cable is left between {pair(lab, a, b)}")
    lab.cut.add(whole[0])
    lab.save()
    switch(lab, whole[:1], "down")
    reroute(lab)
    return whole[0]


def mend(lab, a, b):
    """Mend one cut cable between two nodes. Returns its number."""
    severed = [cable for cable in joining(lab, a, b) if cable in lab.cut]
    if not severed:
        raise UsageError(f"no cable is cut between {pair(lab, a, b)}")
    if not lab.killed.isdisjoint((a, b)):
        raise UsageError(f"a killed node does not come back: between {pair(lab, a, b)} no cable can be mended")
    lab.cut.remove(severed[0])
    lab.save()
    switch(lab, severed[:1], "up")
    reroute(lab)
    return severed[0]


def change_rate(lab, a, b, rate):
    """Give all cables between two nodes another rate. Returns their numbers."""
    changed = joining(lab, a, b)
    lab.network = lab.network.with_rate(changed, rate)
    lab.save()
    for node in (a, b):
        ports = [lab.network.device(node, cable) for cable in changed]
        namespaces.tell(lab, [node], "tc", lambda _, ports=ports: [rate_line(port, rate) for port in ports])
    namespaces.set_up_tcp(lab)
    return changed


def kill(lab, node):
    """End every process in a node, pull its cables, and let the survivors route around it. Returns the number ended."""
    ended = processes.end_processes([namespaces.network_namespace(lab, node)])
    pulled = [port.cable for port in lab.network.ports[node] if port.cable in lab.usable()]
    lab.killed.add(node)
    lab.save()
    switch(lab, pulled, "down")
    reroute(lab)
    return ended


def joining(lab, a, b):
    """The cables between two nodes. There must be at least one."""
    cables = lab.network.cables_between(a, b)
    if not cables:
        neighbours = sorted({port.neighbour for port in lab.network.ports[a]})
        names = ", ".join(lab.network.names[neighbour] for neighbour in neighbours)
        raise UsageError(f"no cable joins {pair(lab, a, b)}: {lab.network.names[a]} has cables to {names or 'none'}")
    return cables


def pair(lab, a, b):
    """Two nodes as text for people."""
    return f"{lab.network.names[a]} and {lab.network.names[b]}"


def switch(lab, cables, direction):
    """Set both ends of cables up or down."""
    for node in {end for cable in cables for end in lab.network.cables[cable].ends}:
        devices = [device_name(lab.network.device(node, cable)) for cable in cables
                   if node in lab.network.cables[cable].ends]
        namespaces.tell(lab, [node], "ip", lambda _, devices=devices: [f"link set {device} {direction}"
                                                                       for device in devices])


def reroute(lab):
    """Give every survivor routes over the remaining cables."""
    usable = lab.usable()
    routes = compute_routes(lab.network, usable)
    namespaces.tell(lab, lab.survivors(), "ip", lambda node: route_lines(lab.network, usable, routes, node))
