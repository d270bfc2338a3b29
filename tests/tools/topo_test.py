"""`cuboid topo` as a person or a script meets it: what it exports.

Usage: topo_test.py CUBOID [unittest options]
"""

import json
import os
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest


class Export(CommandTest):
    subcommand = ("topo", "--topology")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name, name)

    def exported(self, name, topology="torus:4x3@100mbit"):
        self.succeed(topology, "--ranks", 12, "--export", self.path(name))
        return self.path(name)

    def test_graphviz_has_an_edge_per_cable(self):
        text = self.exported("network.dot").read_text()
        self.assertEqual(text.count(" -- "), 24)
        self.assertEqual(text.count('[label="100mbit"]'), 24)

    def test_json_is_read_again_as_the_same_network(self):
        file = self.exported("network.json")
        again = self.result(f"file:{file}", "--ranks", 1)
        self.assertEqual(again["shape"]["text"], "torus:4x3")
        self.assertEqual({link["bits_per_second"] for link in again["links"]}, {1e8})

    def test_simgrid_platforms_have_a_link_and_a_route_per_direction(self):
        platform = xml.etree.ElementTree.parse(self.exported("network.xml")).getroot()
        zone = platform.find("zone")
        self.assertEqual(len(zone.findall("host")), 12)
        self.assertEqual([link.get("bandwidth") for link in zone.findall("link")], ["12500000Bps"] * 48)
        self.assertEqual(len({(route.get("src"), route.get("dst")) for route in zone.findall("route")}), 48)

    def test_hwloc_reads_the_node(self):
        machine = xml.etree.ElementTree.parse(self.exported("node.hwloc")).getroot().find("object")
        self.assertEqual(machine.get("type"), "Machine")
        self.assertGreater(len(machine.findall(".//object[@type='PU']")), 0)

    def test_traffic_is_drawn(self):
        links = [{"cable": cable, "from": one, "to": "", "bytes": 1e7, "up": True}
                 for cable, ends in enumerate(("01", "12", "20")) for one in ends]
        self.path("net.json").write_text(json.dumps({
            "nodes": ["0", "1", "2"], "cables": [{"ends": list(ends), "rate": "100mbit"} for ends in ("01", "12", "20")]}))
        drawing = [f"file:{self.path('net.json')}", "--draw", self.path("net.svg"), "--traffic", self.path("links.json")]
        self.path("links.json").write_text(json.dumps({"seconds": 4, "links": links}))
        self.succeed(*drawing, "--title", "a < b")
        picture = self.path("net.svg").read_text()
        self.assertEqual(picture.count("10000000 bytes (20.0%)"), 6)
        self.assertIn("a &lt; b", picture)
        for wrong, word in (({"seconds": 4, "links": links[1:]}, "is not there"),
                            ({"seconds": 4, "links": links + links[:1]}, "twice"),
                            ({"seconds": 4, "links": [links[0] | {"from": "2"}]}, "no end"),
                            ({"seconds": 4, "links": [links[0] | {"cable": 3}]}, "0 to 2"),
                            ({"links": links}, "seconds")):
            self.path("links.json").write_text(json.dumps(wrong))
            self.breaks_off(drawing, "links.json", word)

    def test_what_cannot_be_exported(self):
        self.refuse(["torus:4x3", "--ranks", 12, "--export", self.path("network.png")], "network.png", ".dot")
        self.refuse(["torus:4x3", "--ranks", 12, "--export", self.path("network.xml")], "unknown", "--topology")


if __name__ == "__main__":
    unittest.main()
