"""Routes: for every node and destination the port to leave by.

Every node forwards over a port that brings the message one hop nearer, and among these over the lowest axis. On a whole
torus or mesh that is dimension-ordered routing the shortest way round; with cables cut or nodes dead it is a shortest
way around the damage, and still dimension-ordered where nothing is missing. No loop can arise, since every hop shortens
the way.

Where several ports of that axis are equally near (half-way round an even ring, or two cables to the same neighbour)
the choice alternates in a fixed pattern, so that opposite flows and different destinations use different cables.
"""


def compute_routes(network, usable):
    """routes[node][destination]: number of the port to leave by; None to oneself and where no way leads."""
    nodes = range(len(network.names))
    routes = [[None] * len(nodes) for _ in nodes]
    for destination in nodes:
        hops = network.distances(destination, usable)
        for node in nodes:
            if node != destination and hops[node] is not None:
                routes[node][destination] = choose_port(network, usable, hops, node, destination)
    return routes


def choose_port(network, usable, hops, node, destination):
    """The port by which `node` forwards what is for `destination`."""
    nearer = [number for number, port in enumerate(network.ports[node])
              if port.cable in usable and hops[port.neighbour] == hops[node] - 1]
    axis = min(network.ports[node][number].axis for number in nearer)
    equal = [number for number in nearer if network.ports[node][number].axis == axis]
    return equal[alternation(network, axis, node, destination) % len(equal)]


def alternation(network, axis, node, destination):
    """A number whose parity changes from node to node along the axis, and from line to line of destinations."""
    if network.coordinates is None:
        return destination
    here, there = network.coordinates[node], network.coordinates[destination]
    return here[axis] + sum(there) - there[axis]
