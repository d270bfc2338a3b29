"""Shapes and rates from text."""

import math
import unittest
from collections import Counter
from pathlib import Path

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.errors import UsageError
from cuboid_lab.rate import format_rate, parse_rate
from cuboid_lab.shape import build_shape, parse_axes


def shape(spec):
    return build_shape(parse_axes(spec), [10**8])


class Rates(unittest.TestCase):
    def test_reads_what_cuboid_reads(self):
        lines = (Path(__file__).resolve().parents[2] / "topology/shape/rates.txt").read_text().splitlines()
        table = [line.split("\t") for line in lines if not line.startswith("#")]
        self.assertGreater(len(table), 30)
        for text, rate in table:
            if rate == "refused":
                with self.assertRaises(UsageError, msg=repr(text)):
                    parse_rate(text)
            else:
                self.assertEqual(parse_rate(text), round(float(rate)), text)
        for number, rate in ((20000000, 2 * 10**7), (1e8, 10**8), (" 20 Mbit ", 2 * 10**7)):
            self.assertEqual(parse_rate(number), rate)

    def test_writes_what_it_reads(self):
        for rate in (1000, 1001, 64000, 10**8, 25 * 10**8, 10**11):
            self.assertEqual(parse_rate(format_rate(rate)), rate)

    def test_refuses(self):
        for bad in ("", "fast", "-5mbit", "100mbps", "0", "999", "101gbit", "1 2mbit", "\u0664mbit", None, True,
                    [], float("nan"), float("inf"), 1e30, -1,
                    "9" * 5000 + "mbit", 10**400):
            with self.assertRaises(UsageError, msg=repr(bad)):
                parse_rate(bad)


class Shapes(unittest.TestCase):
    def test_counts_nodes_and_cables(self):
        for spec, nodes, cables in (("torus:4x4", 16, 32), ("mesh:4x4", 16, 24), ("torus:4x3,mesh:2", 24, 60),
                                    ("hypercube:4", 16, 32), ("ring:8", 8, 8), ("torus:2", 2, 2), ("mesh:2", 2, 1),
                                    ("torus:1", 1, 0), ("torus:1x3", 3, 3), ("torus:4x4x4", 64, 192),
                                    ("mesh:2,hypercube:2,ring:3", 24, 60), ("torus:2x3", 6, 12)):
            network = shape(spec)
            self.assertEqual((len(network.names), len(network.cables)), (nodes, cables), spec)

    def test_axes_have_rates_of_their_own(self):
        network = build_shape(parse_axes("torus:4x3"), [10**8, 10**7])
        self.assertEqual({(cable.axis, cable.rate) for cable in network.cables}, {(0, 10**8), (1, 10**7)})
        with self.assertRaises(UsageError):
            build_shape(parse_axes("torus:4x3"), [10**8, 10**7, 10**6])

    def test_axes_are_appended_in_order(self):
        network = shape("torus:4x3,mesh:2")
        self.assertEqual(network.extents, (4, 3, 2))
        self.assertEqual(network.wraps, (True, True, False))

    def test_coordinates_are_row_major(self):
        network = shape("mesh:2x3")
        self.assertEqual(network.coordinates, ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)))
        self.assertEqual(network.names[4], "n4")

    def test_every_cable_joins_neighbours_along_its_axis(self):
        for spec in ("torus:3x4x2", "mesh:4,torus:5", "hypercube:5", "torus:2x2,mesh:2x1"):
            network = shape(spec)
            for cable in network.cables:
                here, there = (network.coordinates[end] for end in cable.ends)
                extent = network.extents[cable.axis]
                for axis in range(len(here)):
                    step = 1 if axis == cable.axis else 0
                    self.assertEqual((here[axis] + step) % network.extents[axis], there[axis])
                if not network.wraps[cable.axis]:
                    self.assertLess(here[cable.axis], extent - 1)

    def test_every_node_of_a_torus_has_two_cables_per_axis(self):
        for spec in ("torus:3x4x2", "torus:2x2", "ring:7"):
            network = shape(spec)
            degrees = Counter(end for cable in network.cables for end in cable.ends)
            self.assertEqual(set(degrees.values()), {2 * len(network.extents)})
            self.assertEqual(sum(degrees.values()), 2 * len(network.cables))
            self.assertEqual(len(network.names), math.prod(network.extents))

    def test_refuses(self):
        for bad in ("", "torus", "torus:", "torus:4x", "torus:0", "torus:4x0", "torus:-4", "torus:axb", "blob:4", "4x4",
                    "torus:4,,mesh:2", "ring:4x4", "hypercube:2x2", "torus:1000", "hypercube:9", "hypercube:999999999",
                    "torus:999999999x999999999", "torus:4 x4", "torus:4;rm", "torus:\u0664"):
            with self.assertRaises(UsageError, msg=bad):
                shape(bad)


if __name__ == "__main__":
    unittest.main()
