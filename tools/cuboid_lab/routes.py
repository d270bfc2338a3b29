"""Routes: for every node and destination, the port to forward to.

Every node forwards over a port that brings the message one hop nearer, and of these over the port of the lowest axis.
On a whole torus or mesh that is dimension-ordered routing in the shorter direction. With cut cables or dead nodes it is
a shortest route around the damage, and still dimension-ordered where nothing is missing. There are no loops, since every
hop shortens the route.

If several ports of that axis are equally near (half-way round an even ring, or two cables to the same neighbour)
the choice alternates in a fixed pattern, so that opposite flows and different destinations use different cables.
"""


def compute_routes(network, usable):
    """routes[node][destination]: the number of the port to forward to; None for the node itself and without a route."""
    nodes = range(len(network.names))
    routes = [[None] * len(nodes) for _ in nodes]
    for destination in nodes:
        hops = network.distances(destination, usable)
        for node in nodes:
            if node != destination and hops[node] is not None:
                routes[node][destination] = choose_port(network, usable, hops, node, destination)
    return routes


def choose_port(network, usable, hops, node, destination):
    """The port over which `node` forwards packets to `destination`."""
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
