#!/usr/bin/env python3
"""Do collectives find their ways on networks that are no regular cuboid: axes of different rates, cut cables, dead nodes?

What is found, which algorithm is chosen, and whether results are right; not how long it takes.

CUBOID_COMMAND says where the command is. Needs root; without, every test is skipped and says so.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from own_lab import COMMAND, LAB, OwnLab

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
        self.assertEqual(results["broadcast"]["cables_bytes_per_second"], 120e6 / 8)
        self.assertTrue(results["broadcast"]["algorithm"].startswith("packed"))

    def test_a_cut_cable_concerns_its_own_line(self):
        lab("up", "torus:3x3", "--rate", "20mbit")
        lab("cut", "n4", "n5")
        found = run("topo")
        self.assertEqual(found["shape"]["extents"], [3, 3])
        self.assertIn("less 1 cable", found["explanation"])
        self.assertTrue(self.bench("broadcast", "--lines", "1")["algorithm"].startswith("rectangular"))
        self.assertTrue(self.bench("broadcast")["algorithm"].startswith("packed"))

    def test_several_ranks_on_what_is_left_of_a_torus(self):
        lab("up", "torus:3x4", "--rate", "20mbit", "--ranks-per-node", "2")
        for node in ("n3", "n6", "n8"):
            lab("kill", node)
        found = run("topo")
        self.assertIsNone(found["shape"], found["explanation"])
        self.assertEqual((len(found["nodes"]), found["ranks_per_node"]), (9, 2))
        results = {operation: self.bench(operation) for operation in LONG}
        self.assertTrue(results["broadcast"]["algorithm"].startswith("packed"))

    def test_an_axis_without_a_rate(self):
        lab("up", "torus:3x3", "--rate", "20mbit")
        said = lab.run("bench", "broadcast", "--size", "256K", "--iterations", "1", "--warmup", "0", "--validate", "--json",
                       environment=os.environ | {"CUBOID_TOPOLOGY": "torus:3x3@20mbit/0"})
        self.assertIn("9 of 18 cables of the network have no rate", said.stderr)
        result = json.loads(said.stdout)["results"][0]
        self.assertEqual(result["errors"], 0)
        self.assertIsNone(result["cables_bytes_per_second"])
        self.assertIsNone(result["bound_bytes_per_second"])

    def test_hosts_that_no_cables_join(self):
        lab("up", "torus:3x3", "--rate", "20mbit")
        said = lab.run("bench", "allreduce", "--size", "256K", "--iterations", "1", "--warmup", "0", "--validate", "--json",
                       environment=os.environ | {"CUBOID_TOPOLOGY": f"file:{self.apart()}"})
        self.assertIn("no cables lead between all of the job's 9 hosts", said.stderr)
        self.assertEqual(json.loads(said.stdout)["results"][0]["errors"], 0)

    def test_socket_buffers_suit_the_rate_unless_the_user_says_otherwise(self):
        lab("up", "mesh:2", "--rate", "100mbit", "--tcp", "default")
        # The kernel doubles what it is asked for.
        self.assertIn(2 * 65536, self.send_buffers({}, 2 * 65536))
        users = self.send_buffers({"UCX_TCP_SNDBUF": "40k"}, 2 * 40960)
        self.assertIn(2 * 40960, users)
        self.assertNotIn(2 * 65536, users)

    def send_buffers(self, environment, awaited):
        """Those of the first node's connections during a run, looked at until one has `awaited` bytes or the run ends."""
        command = [str(LAB), "run", "--name", lab.name, "--", COMMAND, "bench", "broadcast", "--size", "1M", "--iterations", "60"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=os.environ | environment) as run:
            seen = set()
            while awaited not in seen and run.poll() is None:
                connections = lab("exec", "n0", "--", "ss", "--tcp", "--memory", "--numeric", check=False).stdout
                seen = {int(size) for size in re.findall(r"\btb(\d+)", connections)}
            run.terminate()
        return seen

    def apart(self):
        """A file with the nodes that are up, and no cable to the last of them."""
        names = [f"n{node}" for node in range(9)]
        cables = [{"ends": [one, other], "rate": "20mbit"} for one, other in zip(names[:8], names[1:8])]
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            self.addCleanup(os.unlink, file.name)
            json.dump({"nodes": names, "cables": cables}, file)
        return file.name


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; no collective was tried on such networks", file=sys.stderr)
    unittest.main()
