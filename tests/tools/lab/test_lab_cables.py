"""Traffic on the real machine: where it goes, how fast at most, and what happens when something breaks."""

import json
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

from paths import LAB
from machine import MachineTest, lab, wait_until

FLOOD = """
import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setblocking(False)
until = time.monotonic() + 1
while time.monotonic() < until:
    try:
        sender.sendto(bytes(8000), (sys.argv[1], 9))
    except (BlockingIOError, ConnectionRefusedError):
        time.sleep(0.001)
"""


class Cables(MachineTest):
    def test_an_idle_cable_counts_no_byte(self):
        name = self.up("torus:3x3")
        self.assertEqual(self.carriers(name)[0], set())

    def test_a_neighbour_is_reached_by_exactly_its_cable(self):
        name = self.up("torus:3x3")
        for origin, destination in (("n0", "n1"), ("n0", "n3"), ("n0", "n2"), ("n6", "n0")):
            used, ways = self.send(name, origin, destination)
            self.assertEqual(used, {frozenset((origin, destination))})
            self.assertEqual(ways, [(origin, destination)])

    def test_a_far_node_is_reached_along_the_first_axis_first(self):
        name = self.up("torus:3x3")
        self.assertEqual(set(self.send(name, "n0", "n4")[1]), {("n0", "n3"), ("n3", "n4")})

    def test_two_cables_to_a_neighbour(self):
        name = self.up("torus:2")
        links = json.loads(self.run_lab("links", "--json", "--name", name))["links"]
        self.assertEqual(len(links), 4)
        routes = self.run_lab("exec", "n0", "--name", name, "--", "ip", "route").splitlines()
        self.assertEqual(sorted(route.split()[2] for route in routes), ["eth0", "eth1"])
        self.run_lab("cut", "n0", "n1", "--name", name)
        self.assertTrue(self.send(name, "n0", "n1")[1])
        self.assertIn("in parts", lab("cut", "n0", "n1", "--name", name).stderr)
        self.run_lab("cut", "n0", "n1", "--name", name, code=2)
        self.run_lab("mend", "n0", "n1", "--name", name)
        self.assertTrue(self.send(name, "n1", "n0")[1])

    def test_no_cable_carries_more_than_its_rate(self):
        name = self.up("mesh:3", "--rate", "100mbit")
        self.run_lab("rate", "n1", "n2", "8mbit", "--name", name)
        self.run_lab("links", "--reset", "--name", name)
        started = time.monotonic()
        self.run_lab("exec", "n0", "--name", name, "--", "python3", "-c", FLOOD, "n2")
        links = json.loads(self.run_lab("links", "--json", "--name", name))["links"]
        elapsed = time.monotonic() - started
        carried = {(link["from"], link["to"]): link["bytes"] for link in links}
        burst = 128 * 1024
        self.assertLess(carried["n1", "n2"], 1.05 * 1e6 * elapsed + burst)
        self.assertLess(carried["n0", "n1"], 1.05 * 12.5e6 * elapsed + burst)
        self.assertGreater(carried["n0", "n1"], carried["n1", "n2"])

    def test_rates_are_set_at_both_ends(self):
        name = self.up("mesh:3", "--rate", "100mbit")
        self.run_lab("rate", "n1", "n0", "8mbit", "--name", name)
        for node, device, rate in (("n0", "eth0", 10**6), ("n1", "eth1", 10**6), ("n1", "eth0", 12500000)):
            shown = self.run_lab("exec", node, "--name", name, "--", "tc", "-json", "qdisc", "show", "dev", device)
            self.assertEqual(json.loads(shown)[0]["options"]["rate"], rate)
        status = json.loads(self.run_lab("status", "--json", "--name", name))
        self.assertEqual([cable["rate"] for cable in status["cables"]], [8 * 10**6, 10**8])

    def test_cut_and_mend(self):
        name = self.up("torus:3x3")
        self.run_lab("cut", "n0", "n1", "--name", name)
        used, ways = self.send(name, "n0", "n1")
        self.assertEqual(len(ways), 2)
        self.assertNotIn(frozenset(("n0", "n1")), used)
        status = json.loads(self.run_lab("status", "--json", "--name", name))
        self.assertEqual([cable["ends"] for cable in status["cables"] if not cable["up"]], [["n0", "n1"]])
        self.run_lab("mend", "n1", "n0", "--name", name)
        self.assertEqual(self.send(name, "n0", "n1")[1], [("n0", "n1")])
        self.run_lab("mend", "n1", "n0", "--name", name, code=2)
        self.run_lab("cut", "n0", "n4", "--name", name, code=2)

    def test_kill_ends_one_node_and_nothing_else(self):
        name, other = self.up("mesh:3x3"), self.up("mesh:3x3")
        sleepers = [subprocess.Popen([LAB, "exec", node, "--name", where, "--", "sleep", "1000"])
                    for where, node in ((name, "n4"), (name, "n3"), (other, "n4"))]
        outsider = subprocess.Popen(["sleep", "1000"])
        try:
            wait_until(lambda: self.sleeping(name) == 2 and self.sleeping(other) == 1)
            self.run_lab("kill", "1,1", "--name", name)
            self.assertEqual(sleepers[0].wait(30), -signal.SIGKILL)
            self.assertEqual([sleeper.poll() for sleeper in sleepers[1:] + [outsider]], [None] * 3)
            self.assertEqual(len(self.send(name, "n3", "n5")[1]), 4)
            self.assertEqual(len(self.send(other, "n3", "n5")[1]), 2)
            for command in (("exec", "n4", "--name", name, "--", "true"), ("kill", "n4", "--name", name),
                            ("mend", "n4", "n5", "--name", name)):
                self.run_lab(*command, code=2)
            alive = [node["alive"] for node in json.loads(self.run_lab("status", "--json", "--name", name))["nodes"]]
            self.assertEqual(alive.index(False), 4)
        finally:
            outsider.kill()
            outsider.wait(30)
            self.run_lab("down", "--name", name)
            self.run_lab("down", "--name", other)
            for sleeper in sleepers:
                sleeper.wait(30)

    def sleeping(self, name):
        """How many processes a lab holds."""
        return sum(node["processes"] for node in json.loads(self.run_lab("status", "--json", "--name", name))["nodes"])

    def test_a_network_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "net.json"
            file.write_text(json.dumps({"nodes": ["hub", "left", "right"],
                                        "cables": [{"ends": ["hub", "left"], "rate": "20mbit"},
                                                   {"ends": ["hub", "right"], "rate": 30000000}]}), encoding="utf-8")
            name = self.up(str(file))
            status = json.loads(self.run_lab("status", "--json", "--name", name))
            self.assertIsNone(status["shape"])
            self.assertEqual([cable["rate"] for cable in status["cables"]], [20000000, 30000000])
            self.assertEqual(set(self.send(name, "left", "right")[1]), {("left", "hub"), ("hub", "right")})

    def test_links_as_table_and_picture(self):
        name = self.up("ring:4")
        self.send(name, "n0", "n1")
        self.assertRegex(self.run_lab("links", "--name", name), r"n0 +eth0 +n1 +eth1 +100mbit +\d+ +100.0% +#{20}")
        with tempfile.TemporaryDirectory() as folder:
            self.run_lab("links", "--svg", f"{folder}/net.svg", "--name", name)
            xml.parse(f"{folder}/net.svg")
            self.run_lab("links", "--svg", f"{folder}/nowhere/net.svg", "--name", name, code=2)


if __name__ == "__main__":
    unittest.main()
