#!/usr/bin/env python3
"""Do collectives find their ways on networks that are no regular cuboid: axes of different rates, cut cables, dead nodes?

What is found, which algorithm is chosen, and whether results are right; not how long it takes.

CUBOID_COMMAND says where the command is. Needs root; without, every test is skipped and says so.
"""

import json
import os
import sys
import unittest

from own_lab import OwnLab

LONG = ("broadcast", "reduce", "allreduce", "allgather", "reduce_scatter")
lab = OwnLab("any-network", seconds=120)


def run(*arguments):
    """What the command prints when it runs on all ranks."""
    return json.loads(lab.run(*arguments, "--json").stdout)


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: the lab needs root")
class AnyNetworkTest(unittest.TestCase):
    """Builds networks, one after the other, and runs collectives on them."""

    def tearDown(self):
        lab("down", check=False)

    def bench(self, operation, *flags):
        """The one result of an operation on a message of 256 KiB, which must be right."""
        result = run("bench", operation, "--size", "256K", "--iterations", "1", "--warmup", "0", "--validate", *flags)
        self.assertEqual(result["results"][0]["errors"], 0, operation)
        return result["results"][0]

    def test_axes_of_different_rates(self):
        lab("up", "torus:3x3", "--rate", "80mbit/20mbit")
        found = run("topo")
        self.assertEqual(found["shape"]["extents"], [3, 3])
        results = {operation: self.bench(operation) for operation in LONG}
        # A row of three has six slow cables, and a node two of each.
        self.assertEqual(results["broadcast"]["bound_bytes_per_second"], 120e6 / 8)
        self.assertTrue(results["broadcast"]["algorithm"].startswith("packed"))

    def test_a_cut_cable_concerns_its_own_line(self):
        lab("up", "torus:3x3", "--rate", "20mbit")
        lab("cut", "n4", "n5")
        self.assertTrue(self.bench("broadcast", "--lines", "1")["algorithm"].startswith("rectangular"))
        self.assertTrue(self.bench("broadcast")["algorithm"].startswith("packed"))

    def test_several_ranks_on_what_is_left_of_a_torus(self):
        lab("up", "torus:3x4", "--rate", "20mbit", "--ranks-per-node", "2")
        for node in ("n3", "n6", "n8"):
            lab("kill", node)
        results = {operation: self.bench(operation) for operation in LONG}
        self.assertTrue(results["broadcast"]["algorithm"].startswith("packed"))


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; no collective was tried on such networks", file=sys.stderr)
    unittest.main()
