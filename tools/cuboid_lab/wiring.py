"""The input of `ip -batch` and `tc -batch` as text: the network as namespaces, devices, routes and rates.

The cables carry no addresses; each node has one, on a bridge device nothing is plugged into. A message to a neighbour
crosses exactly its cable, one to a far node every cable on its way.
"""

from .addresses import device_name, node_address, port_address

CABLE_MTU = 9000
BURST_BYTES = 128 * 1024
QUEUE_BYTES = 1024 * 1024
TIMER_HERTZ = 250
SPARE_METRIC = 100


def cable_lines(network, namespace_of):
    """`ip` lines that make every cable directly between the namespaces of its two nodes."""
    return [" ".join(["link add", device_line(network, cable.ends[0], number, namespace_of),
                      "type veth peer", device_line(network, cable.ends[1], number, namespace_of)])
            for number, cable in enumerate(network.cables)]


def device_line(network, node, cable, namespace_of):
    """One end of a cable in the syntax of `ip link add`."""
    port = network.device(node, cable)
    return (f"name {device_name(port)} address {port_address(node, port)} mtu {CABLE_MTU} "
            f"netns {namespace_of(node)}")


def device_lines(network, node):
    """`ip` lines that, inside a node, set its address and switch its cables on."""
    lines = ["link set lo up", "link add br0 type bridge", f"address add {node_address(node)}/32 dev br0",
             "link set br0 up"]
    return lines + [f"link set {device_name(port)} up" for port in range(len(network.ports[node]))]


def route_lines(network, usable, routes, node):
    """`ip` lines that, inside a node, set its routes. They replace earlier routes, so they may be repeated.

    The Ethernet addresses of neighbours are written down: no ARP crosses a cable, and an idle one counts no byte. A
    second cable to the same neighbour has a route of its own that yields to the first: it can be found, and bound to.
    """
    lines = []
    for number, port in enumerate(network.ports[node]):
        if port.cable in usable:
            there = node_address(port.neighbour)
            remote = port_address(port.neighbour, network.device(port.neighbour, port.cable))
            lines.append(f"neigh replace {there} lladdr {remote} dev {device_name(number)} nud permanent")
            if routes[node][port.neighbour] != number:
                lines.append(f"route replace {there}/32 dev {device_name(number)} src {node_address(node)} "
                             f"metric {SPARE_METRIC + number}")
    return lines + [route_line(network, node, destination, port)
                    for destination, port in enumerate(routes[node]) if destination != node]


def route_line(network, node, destination, port):
    """The route from a node to one destination."""
    there, here = node_address(destination), node_address(node)
    if port is None:
        return f"route replace unreachable {there}/32"
    neighbour = network.ports[node][port].neighbour
    via = "" if neighbour == destination else f"via {node_address(neighbour)} "
    onlink = " onlink" if via else ""
    return f"route replace {there}/32 {via}dev {device_name(port)} src {here}{onlink}"


def rate_lines(network, node):
    """`tc` lines that, inside a node, limit the rate at which it sends into each of its cables."""
    return [rate_line(number, network.cables[port.cable].rate) for number, port in enumerate(network.ports[node])]


def rate_line(port, rate):
    """The token bucket of one port. Fast cables need a burst that lasts until the kernel's next timer tick."""
    burst = max(BURST_BYTES, rate // 8 // TIMER_HERTZ)
    queue = max(QUEUE_BYTES, 4 * burst)
    return f"qdisc replace dev {device_name(port)} root tbf rate {rate}bit burst {burst}b limit {queue}b"
