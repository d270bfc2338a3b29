"""Counters, the table and the documents."""

import json
import unittest

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.links_table import links_document, links_table
from cuboid_lab.network_file import parse_network
from cuboid_lab.picture import network_document
from cuboid_lab.shape import build_shape, parse_axes
from cuboid_lab.state import Lab
from cuboid_lab.traffic import compute_flows, parse_sent

DEVICES = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:      10       1    0    0    0     0          0         0       10       1    0    0    0     0       0          0
  eth0:    2000       2    0    0    0     0          0         0     3000       3    0    0    0     0       0          0
eth12:123456789012 2    0    0    0     0          0         0 987654321098      3    0    0    0     0       0          0
"""


def shape(spec):
    return build_shape(parse_axes(spec), [10**8])


class Counters(unittest.TestCase):
    def test_bytes_sent_are_read(self):
        self.assertEqual(parse_sent(DEVICES), {"lo": 10, "eth0": 3000, "eth12": 987654321098})

    def test_flows_are_what_came_since_the_reset(self):
        network = shape("mesh:3")
        flows = compute_flows(network, [(150, 20), (40, 0)], [(50, 20), (0, 0)])
        self.assertEqual([(flow.sender, flow.receiver, flow.bytes, flow.share) for flow in flows],
                         [(0, 1, 100, 1.0), (1, 0, 0, 0.0), (1, 2, 40, 0.4), (2, 1, 0, 0.0)])

    def test_shares_are_of_the_time_that_a_cable_is_busy(self):
        network = shape("mesh:3").with_rate([1], 10**7)
        flows = compute_flows(network, [(100, 0), (40, 0)], [(0, 0), (0, 0)])
        self.assertEqual([(flow.bytes, flow.share) for flow in flows], [(100, 0.25), (0, 0.0), (40, 1.0), (0, 0.0)])

    def test_an_idle_network_has_no_shares(self):
        flows = compute_flows(shape("torus:2"), [(5, 5), (5, 5)], [(5, 5), (5, 5)])
        self.assertEqual({flow.share for flow in flows}, {0.0})


class Shown(unittest.TestCase):
    def setUp(self):
        self.lab = Lab("lab", "mesh:3", 1, shape("mesh:3"), cut={1})
        self.flows = compute_flows(self.lab.network, [(100, 0), (0, 0)], [(0, 0), (0, 0)])

    def test_document(self):
        document = json.loads(json.dumps(links_document(self.lab, self.flows, 2.5)))
        self.assertEqual(document["seconds"], 2.5)
        self.assertEqual(document["busiest_bytes"], 100)
        self.assertEqual(document["links"][0], {
            "cable": 0, "from": "n0", "to": "n1", "from_device": "eth0", "to_device": "eth1", "rate": 10**8, "up": True,
            "bytes": 100, "share": 1.0})
        self.assertFalse(document["links"][2]["up"])

    def test_table(self):
        lines = links_table(self.lab, self.flows).splitlines()
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[1], r"^n0 +eth0 +n1 +eth1 +100mbit +100 +100.0% +#{20}$")
        self.assertTrue(lines[3].endswith("down"))


class Picture(unittest.TestCase):
    def test_the_network_is_read_again_with_cables_in_the_same_order(self):
        for spec in ("torus:3x5", "torus:2", "hypercube:4"):
            network = shape(spec)
            again = parse_network(json.dumps(network_document(network)), None)
            self.assertEqual(again.names, network.names)
            self.assertEqual([(cable.ends, cable.rate) for cable in again.cables],
                             [(cable.ends, cable.rate) for cable in network.cables])


if __name__ == "__main__":
    unittest.main()
