"""Counters, the table, the document and the picture."""

import json
import unittest
import xml.etree.ElementTree as xml

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.links_table import links_document, links_table
from cuboid_lab.network import Cable, Network
from cuboid_lab.picture import colour, draw, panels_of
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
        document = json.loads(json.dumps(links_document(self.lab, self.flows)))
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
    def test_every_cable_is_drawn_in_both_directions(self):
        ring = Network(("a", "b<c"), (Cable((0, 1), 10**6), Cable((1, 0), 10**6)))
        for network in [ring] + [shape(spec) for spec in ("torus:4x4", "mesh:1", "ring:8", "torus:2", "torus:3x3x3",
                                                          "hypercube:6", "torus:2x1,mesh:3")]:
            silent = [(0, 0)] * len(network.cables)
            flows = compute_flows(network, [(7, 0)] * len(network.cables), silent)
            picture = xml.fromstring(draw(network, {0}, flows, "a <title>"))
            paths_drawn = picture.findall("{http://www.w3.org/2000/svg}path")
            circles = picture.findall("{http://www.w3.org/2000/svg}circle")
            self.assertEqual(len(paths_drawn), 2 * len(network.cables))
            self.assertEqual(len(circles), sum(len(panel.places) for panel in panels_of(network)))
            self.assertEqual(len({path.get("d") for path in paths_drawn}), len(paths_drawn))

    def test_no_two_nodes_in_one_place(self):
        for spec in ("torus:4x4", "hypercube:8", "torus:3x3x3", "mesh:2x3x4x2", "ring:9", "torus:2x2x2x2x2"):
            places = [place for panel in panels_of(shape(spec)) for place in panel.places.values()]
            rounded = {(round(x), round(y)) for x, y in places}
            self.assertEqual(len(rounded), len(places), spec)

    def test_planes_and_lines_show_each_cable_once_with_its_ends(self):
        for spec in ("torus:4x4", "torus:3x3x3", "mesh:2x3x4x2", "hypercube:5"):
            network = shape(spec)
            panels = panels_of(network)
            shown = sorted(cable for panel in panels for cable in panel.cables)
            self.assertEqual(shown, list(range(len(network.cables))))
            for panel in panels:
                for cable in panel.cables:
                    self.assertLessEqual(set(network.cables[cable].ends), set(panel.places))
        captions = [panel.caption for panel in panels_of(shape("torus:2x4x3"))]
        self.assertEqual(captions[:3], ["(0, ·, ·)", "(1, ·, ·)", "(·, 0, 0)"])
        self.assertEqual(len(captions), 2 + 12)

    def test_colour_tells_idle_from_busy(self):
        self.assertEqual(len({colour(share) for share in (0, 0.001, 0.5, 1)}), 4)


if __name__ == "__main__":
    unittest.main()
