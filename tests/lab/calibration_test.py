#!/usr/bin/env python3
"""Does `cuboid bench --calibrate` find the rates of the lab's cables, and does a job use what was found?

CUBOID_COMMAND says where the command is. Needs root; without, every test is skipped and says so.
"""

import json
import os
import sys
import tempfile
import unittest

from own_lab import OwnLab

own_lab = OwnLab("calibration", seconds=360)


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: the lab needs root")
class CalibrationTest(unittest.TestCase):
    """Builds networks whose rates are known, and has them measured."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = folder.name
        self.addCleanup(own_lab, "down", check=False)

    def environment(self):
        """This process's, but for what was measured and where that is kept."""
        environment = {name: value for name, value in os.environ.items() if name != "CUBOID_PARAMETERS"}
        return environment | {"XDG_CACHE_HOME": self.cache, "CUBOID_LOG": "info"}

    def cuboid(self, *arguments):
        """Run the command on every node."""
        return own_lab.run(*arguments, environment=self.environment())

    def check(self, network, bits_per_second, neighbours, ranks_per_node=1):
        """What is measured must be what the cables carry."""
        own_lab("up", network, "--rate", str(bits_per_second), "--ranks-per-node", str(ranks_per_node))
        measured = json.loads(self.cuboid("bench", "--calibrate", "--json").stdout)
        rate = bits_per_second / 8
        between = measured["between_nodes"]
        self.assertAlmostEqual(1 / between["beta_seconds_per_byte"]["value"] / rate, 1, delta=0.1)
        self.assertEqual(measured["cable_bytes_per_second"], rate)
        self.assertGreater(between["alpha_seconds"]["value"], 0)
        self.assertAlmostEqual(measured["injection_bytes_per_second"]["value"] / (neighbours * rate), 1, delta=0.2)
        self.assertEqual("within_node" in measured, ranks_per_node > 1)
        return measured

    def test_torus(self):
        """Rates within 10%; and the next job uses the file, until the network is another one."""
        measured = self.check("torus:3x3", 50_000_000, neighbours=4)
        used = self.cuboid("bench", "broadcast", "--size", "64K", "--iterations", "2")
        self.assertIn(f"parameters: {measured['file']}", used.stderr)
        own_lab("rate", "n0", "n1", "10mbit")
        changed = self.cuboid("bench", "barrier", "--iterations", "2")
        self.assertIn("measured on other cables", changed.stderr)
        self.assertNotIn("parameters: ", changed.stderr)

    def test_several_ranks_per_node(self):
        """Networks and nodes are told apart."""
        measured = self.check("ring:3", 20_000_000, neighbours=2, ranks_per_node=2)
        inside = measured["within_node"]
        self.assertLess(inside["beta_seconds_per_byte"]["value"], measured["between_nodes"]["beta_seconds_per_byte"]["value"])


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; calibration was not tried on a network", file=sys.stderr)
    unittest.main()
