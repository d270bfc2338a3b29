"""Routes: everyone reached, by the fewest hops, in the order of the axes, and around damage."""

import random
import unittest
from collections import Counter

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.network import Cable, Network
from cuboid_lab.routes import compute_routes
from cuboid_lab.shape import build_shape, parse_axes
from cuboid_lab.wiring import route_lines

SPECS = ("torus:4x4", "torus:3x5", "mesh:4x3", "torus:3x3x3", "torus:4x3,mesh:2", "hypercube:4", "ring:8", "ring:7",
         "torus:2x4", "torus:2", "mesh:1", "torus:1x5", "torus:2x2x2", "torus:6x2,mesh:3")


def shape(spec):
    return build_shape(parse_axes(spec), [10**8])


def all_cables(network):
    return set(range(len(network.cables)))


def walk(network, routes, origin, destination):
    """The ports a message leaves by on its way, or None where no way leads. Fails on a loop."""
    ports, node = [], origin
    while node != destination:
        number = routes[node][destination]
        if number is None:
            return None
        ports.append(network.ports[node][number])
        node = ports[-1].neighbour
        assert len(ports) < len(network.names), "a loop"
    return ports


def shape_distance(network, a, b):
    """Hops between two nodes by their coordinates alone."""
    total = 0
    axes = zip(network.coordinates[a], network.coordinates[b], network.extents, network.wraps)
    for here, there, extent, wrap in axes:
        total += min((there - here) % extent, (here - there) % extent) if wrap else abs(there - here)
    return total


def random_network(generator):
    """A connected network without shape, some pairs joined twice."""
    nodes = generator.randint(2, 12)
    ends = [(node, generator.randrange(node)) for node in range(1, nodes)]
    ends += [tuple(generator.sample(range(nodes), 2)) for _ in range(generator.randint(0, 2 * nodes))]
    return Network(tuple(f"n{node}" for node in range(nodes)), tuple(Cable(pair, 10**8) for pair in ends))


class Routes(unittest.TestCase):
    def test_everyone_is_reached_by_the_fewest_hops(self):
        for spec in SPECS:
            network = shape(spec)
            routes = compute_routes(network, all_cables(network))
            for origin in range(len(network.names)):
                for destination in range(len(network.names)):
                    way = walk(network, routes, origin, destination)
                    self.assertEqual(len(way), shape_distance(network, origin, destination), spec)

    def test_axes_are_travelled_in_order(self):
        for spec in SPECS:
            network = shape(spec)
            routes = compute_routes(network, all_cables(network))
            for origin in range(len(network.names)):
                for destination in range(len(network.names)):
                    axes = [port.axis for port in walk(network, routes, origin, destination)]
                    self.assertEqual(axes, sorted(axes), spec)

    def test_opposite_ways_round_share_the_load(self):
        network = shape("ring:4")
        routes = compute_routes(network, all_cables(network))
        load = Counter()
        for origin in range(4):
            node = origin
            for port in walk(network, routes, origin, (origin + 2) % 4):
                load[node, port.cable] += 1
                node = port.neighbour
        self.assertEqual(set(load.values()), {1})
        self.assertEqual(len(load), 8)

    def test_both_cables_of_a_pair_are_used(self):
        network = shape("torus:2x4")
        routes = compute_routes(network, all_cables(network))
        self.assertEqual({network.ports[0][routes[0][there]].cable for there in range(4, 8)},
                         set(network.cables_between(0, 4)))

    def test_around_damage(self):
        generator = random.Random(1)
        networks = [shape(spec) for spec in SPECS] + [random_network(generator) for _ in range(40)]
        for network in networks:
            usable = {cable for cable in all_cables(network) if generator.random() < 0.7}
            routes = compute_routes(network, usable)
            for origin in range(len(network.names)):
                hops = network.distances(origin, usable)
                for destination in range(len(network.names)):
                    way = walk(network, routes, origin, destination)
                    self.assertEqual(None if way is None else len(way), hops[destination])
                    self.assertTrue(all(port.cable in usable for port in way or ()))

    def test_same_network_same_routes(self):
        for spec in SPECS:
            self.assertEqual(compute_routes(shape(spec), all_cables(shape(spec))),
                             compute_routes(shape(spec), all_cables(shape(spec))))


class RouteLines(unittest.TestCase):
    def lines(self, spec, node, without=()):
        network = shape(spec)
        usable = all_cables(network) - set(without)
        return route_lines(network, usable, compute_routes(network, usable), node)

    def test_a_neighbour_is_direct_and_others_go_by_it(self):
        lines = self.lines("mesh:3", 0)
        self.assertIn("route replace 10.0.0.2/32 dev eth0 src 10.0.0.1", lines)
        self.assertIn("route replace 10.0.0.3/32 via 10.0.0.2 dev eth0 src 10.0.0.1 onlink", lines)

    def test_a_second_cable_has_a_route_that_yields(self):
        direct = [line for line in self.lines("torus:2", 0) if line.startswith("route replace 10.0.0.2/32 dev")]
        self.assertEqual(len(direct), 2)
        self.assertEqual(sum("metric" in line for line in direct), 1)

    def test_the_unreachable_is_said_to_be(self):
        self.assertIn("route replace unreachable 10.0.0.2/32", self.lines("mesh:2", 0, without=[0]))


if __name__ == "__main__":
    unittest.main()
