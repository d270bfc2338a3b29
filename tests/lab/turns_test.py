#!/usr/bin/env python3
"""Cuboid and MPI in turns over a network: does no rank wait for what another left behind?

CUBOID_COMMAND says where the command is, CUBOID_TURNS where the program of all operations, CUBOID_WITHOUT_MPI where the
program that uses two communicators in turns. Needs root; without, every test is skipped and says so.
"""

import json
import os
import sys
import unittest

from own_lab import OwnLab

lab = OwnLab("turns", seconds=60)


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: the lab needs root")
class TurnsTest(unittest.TestCase):
    """Builds a network and takes turns on all its nodes."""

    @classmethod
    def setUpClass(cls):
        lab("up", "ring:4", "--rate", "100mbit", "--tcp", "default")

    @classmethod
    def tearDownClass(cls):
        lab("down", check=False)

    def take_turns(self, *run, environment=None):
        environment = os.environ | {"CUBOID_TIMEOUT": "20"} | (environment or {})
        lab("run", *run, "--timeout", "50", "--", os.environ["CUBOID_TURNS"], "2", "512", "524288", environment=environment)

    def test_all_operations(self):
        self.take_turns()

    def test_with_mpi_off_ucx_and_a_thread(self):
        self.take_turns("--pml", "ob1", environment={"CUBOID_PROGRESS": "thread"})

    def test_two_communicators(self):
        environment = os.environ | {"CUBOID_TIMEOUT": "20"}
        for _ in range(3):
            lab("run", "--timeout", "60", "--", os.environ["CUBOID_WITHOUT_MPI"], environment=environment)

    def test_measurements_against_mpi(self):
        said = lab.run("bench", "broadcast", "--size", "1K:1M", "--iterations", "3", "--against", "mpi", "--json")
        self.assertEqual(len(json.loads(said.stdout)["results"]), 11)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; no turns were taken over a network", file=sys.stderr)
    unittest.main()
