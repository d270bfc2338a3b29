#!/usr/bin/env python3
"""Does `cuboid topo`, given no hint, find the network that the lab has built?

For every network: the shape found is the shape built, and every cable built joins two nodes whose coordinates found are
neighbours, as often as there are cables between them: the coordinates are right up to a symmetry of the shape.

CUBOID_COMMAND says where the command is. Needs root; without, every test is skipped and says so.
"""

import collections
import itertools
import json
import os
import random
import sys
import tempfile
import unittest

from own_lab import OwnLab

BITS_PER_SECOND = 20_000_000
lab = OwnLab("discovery", seconds=120)


def discover(*flags):
    """What `cuboid topo` finds in the lab that is up."""
    return json.loads(lab.run("topo", "--json", *flags).stdout)


def cables_built():
    """How many cables that are up join each pair of nodes, by name."""
    status = json.loads(lab("status", "--json").stdout)
    return collections.Counter(tuple(sorted(cable["ends"])) for cable in status["cables"] if cable["up"])


def cables_found(found):
    """How many cables the network found has between each pair of nodes, by name."""
    return collections.Counter(tuple(sorted((link["from"], link["to"]))) for link in found["links"]
                               if link["from"] < link["to"])


def cables_of_shape(found):
    """How many cables the shape found has between each pair of nodes, by name, at the coordinates found."""
    extents, wraps = found["shape"]["extents"], found["shape"]["wraps"]
    name_at = {tuple(node["coordinate"]): node["name"] for node in found["nodes"]}
    cables = collections.Counter()
    for place in itertools.product(*map(range, extents)):
        for axis, (extent, wrap) in enumerate(zip(extents, wraps)):
            step = place[axis] + 1
            if extent == 1 or (step == extent and not wrap):
                continue
            there = place[:axis] + (step % extent,) + place[axis + 1:]
            cables[tuple(sorted((name_at[place], name_at[there])))] += 1
    return cables


def normal_form(extents, wraps):
    """A shape without what does not make a difference: the order of axes, and axes of one node."""
    return sorted((extent, wrap) for extent, wrap in zip(extents, wraps) if extent > 1)


def torus(*extents):
    """The normal form of a torus."""
    return normal_form(extents, [True] * len(extents))


def mesh(*extents):
    """The normal form of a mesh."""
    return normal_form(extents, [False] * len(extents))


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: the lab needs root")
class DiscoveryTest(unittest.TestCase):
    """Builds networks, one after the other, and has them discovered."""

    def tearDown(self):
        lab("down", check=False)

    def up(self, spec, *flags):
        """Build a network."""
        lab("up", str(spec), "--rate", str(BITS_PER_SECOND), *flags)

    def check(self, expected, ranks_per_node=1):
        """What is up must be found to be `expected`."""
        found = discover()
        self.assertEqual(found["source"], "kernel", found["skipped"])
        self.assertEqual(cables_found(found), cables_built())
        self.assertIsNotNone(found["shape"], found["explanation"])
        self.assertEqual(normal_form(found["shape"]["extents"], found["shape"]["wraps"]), expected)
        self.assertEqual(cables_of_shape(found), cables_built())
        self.assertEqual({link["bits_per_second"] for link in found["links"]}, {BITS_PER_SECOND})
        self.assertEqual(found["ranks_per_node"], ranks_per_node)
        self.check_ranks(found, ranks_per_node)
        return found

    def check_ranks(self, found, ranks_per_node):
        """Every rank is on one node, and at its node's coordinate."""
        ranks = sorted(rank for node in found["nodes"] for rank in node["ranks"])
        self.assertEqual(ranks, list(range(ranks_per_node * len(found["nodes"]))))
        for node in found["nodes"]:
            for rank in node["ranks"]:
                self.assertEqual(found["coordinates"][rank], node["coordinate"])

    def test_shapes(self):
        """Tori, meshes and mixtures, with axes of two nodes and one cable or two."""
        shapes = {"torus:4x4": torus(4, 4), "torus:3x5": torus(3, 5), "torus:3x3x3": torus(3, 3, 3),
                  "mesh:4x4": mesh(4, 4), "mesh:2x3x4": mesh(2, 3, 4), "ring:8": torus(8), "mesh:5": mesh(5),
                  "torus:4x3,mesh:2": sorted(torus(4, 3) + mesh(2)), "torus:3,mesh:3x2": sorted(torus(3) + mesh(3, 2)),
                  "torus:2x5": torus(2, 5), "torus:2x2": torus(2, 2), "torus:2": torus(2), "mesh:2": mesh(2),
                  "hypercube:3": sorted(torus(4) + mesh(2))}
        for spec, expected in shapes.items():
            with self.subTest(spec):
                self.up(spec)
                self.check(expected)
                lab("down")

    def test_axes_and_coordinates_are_the_labs(self):
        """The order of axes is that of the nodes' numbers, so a node has one coordinate everywhere."""
        for spec in ("torus:3x5", "mesh:2x3x4", "mesh:2,torus:5x3"):
            with self.subTest(spec):
                self.up(spec)
                found = discover()
                built = json.loads(lab("status", "--json").stdout)
                self.assertEqual(found["shape"]["extents"], built["shape"]["extents"])
                self.assertEqual({node["name"]: node["coordinate"] for node in found["nodes"]},
                                 {node["name"]: node["coordinate"] for node in built["nodes"]})
                lab("down")

    def test_two_ranks_per_node(self):
        """Ranks of one node are found to be there."""
        self.up("torus:3x3", "--ranks-per-node", "2")
        self.check(torus(3, 3), ranks_per_node=2)

    def test_cut_cable(self):
        """A torus less one cable is still that torus, and found to lack one."""
        self.up("torus:4x4")
        lab("cut", "n5", "n6")
        found = discover()
        self.assertEqual(found["source"], "kernel", found["skipped"])
        self.assertEqual(cables_found(found), cables_built())
        self.assertEqual(normal_form(found["shape"]["extents"], found["shape"]["wraps"]), torus(4, 4))
        self.assertIn("less 1 cable", found["explanation"])
        missing = cables_of_shape(found) - cables_built()
        self.assertEqual(missing, collections.Counter({("n5", "n6"): 1}))

    def test_quick_cables(self):
        """Bytes per second that take more than 32 bits."""
        lab("up", "mesh:2", "--rate", "100gbit")
        self.assertEqual({link["bits_per_second"] for link in discover()["links"]}, {100_000_000_000})

    def test_rates_of_axes(self):
        """A slow cable shows its rate."""
        self.up("ring:5")
        lab("rate", "n1", "n2", "5mbit")
        found = discover()
        rates = {tuple(sorted((link["from"], link["to"]))): link["bits_per_second"] for link in found["links"]}
        self.assertEqual(rates.pop(("n1", "n2")), 5_000_000)
        self.assertEqual(set(rates.values()), {BITS_PER_SECOND})

    def test_scrambled_names(self):
        """A torus whose node names and cable order tell nothing."""
        generator = random.Random(5)
        names = {place: f"host{number}" for number, place in enumerate(
            generator.sample(list(itertools.product(range(4), range(3))), 12))}
        cables = [{"ends": generator.sample([names[x, y], names[there]], 2)} for x, y in names
                  for there in (((x + 1) % 4, y), (x, (y + 1) % 3))]
        generator.shuffle(cables)
        nodes = generator.sample(sorted(names.values()), 12)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"nodes": nodes, "cables": cables}, file)
            file.flush()
            self.up(file.name)
        self.check(torus(4, 3))

    def test_not_a_cuboid(self):
        """A tree of cables is found as it is, and not called a cuboid."""
        document = {"nodes": list("abcde"), "cables": [{"ends": ["a", other]} for other in "bcde"]}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            self.up(file.name)
        found = discover()
        self.assertEqual(found["source"], "kernel")
        self.assertEqual(cables_found(found), cables_built())
        self.assertIsNone(found["shape"])

    def test_stated_source_goes_first(self):
        """What the user states is not overruled by what the kernel shows."""
        self.up("ring:4")
        self.assertEqual(discover("--topology", "flat")["source"], "flat")
        stated = discover("--topology", "mesh:2x2")
        self.assertEqual((stated["source"], stated["shape"]["extents"]), ("shape", [2, 2]))


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; discovery was not tried on a network", file=sys.stderr)
    unittest.main()
