"""Networks from JSON text, and every way such a text can be wrong."""

import json
import tempfile
import unittest

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.errors import UsageError
from cuboid_lab.network_file import parse_network, read_network

TRIANGLE = {"nodes": ["a", "b", "c"],
            "cables": [{"ends": ["a", "b"], "rate": "20mbit"}, {"ends": ["b", "c"], "rate": 5000000},
                       {"ends": ["c", "a"]}]}


class NetworkFile(unittest.TestCase):
    def test_reads_rates_of_every_kind(self):
        network = parse_network(json.dumps(TRIANGLE), 10**8)
        self.assertEqual(network.names, ("a", "b", "c"))
        self.assertEqual([cable.rate for cable in network.cables], [2 * 10**7, 5 * 10**6, 10**8])
        self.assertEqual([cable.ends for cable in network.cables], [(0, 1), (1, 2), (2, 0)])
        self.assertIsNone(network.coordinates)

    def test_two_cables_may_join_a_pair(self):
        network = parse_network('{"nodes": ["a", "b"], "cables": [{"ends": ["a", "b"]}, {"ends": ["b", "a"]}]}', 10**8)
        self.assertEqual(network.cables_between(0, 1), [0, 1])
        self.assertEqual([network.device(1, cable) for cable in (0, 1)], [1, 0])

    def test_an_unknown_rate_needs_one_to_emulate(self):
        with self.assertRaisesRegex(UsageError, r"cables\[2\] has no rate: give it one, or --rate"):
            parse_network(json.dumps(TRIANGLE), None)

    def test_mistakes_are_told_with_their_place(self):
        cable = {"ends": ["a", "b"]}
        for document, complaint in (
                ([], "expected an object"),
                ({"nodes": ["a"]}, "'cables' is missing"),
                ({"nodes": [], "cables": []}, "at least one"),
                ({"nodes": "ab", "cables": []}, "expected a list"),
                ({"nodes": ["a"], "cables": {}}, "cables: expected a list"),
                ({"nodes": ["a", "a"], "cables": []}, r"nodes\[1\].*taken"),
                ({"nodes": ["a b"], "cables": []}, "no host name"),
                ({"nodes": ["../x"], "cables": []}, "no host name"),
                ({"nodes": ["localhost"], "cables": []}, "taken"),
                ({"nodes": [3], "cables": []}, "no host name"),
                ({"nodes": ["n" * 33], "cables": []}, "no host name"),
                ({"nodes": ["a"], "cables": [], "wires": []}, "unknown key 'wires'"),
                ({"nodes": ["a", "b"], "cables": [3]}, r"cables\[0\]: expected an object"),
                ({"nodes": ["a", "b"], "cables": [{}]}, "'ends' is missing"),
                ({"nodes": ["a", "b"], "cables": [{"ends": ["a"]}]}, "two node names"),
                ({"nodes": ["a", "b"], "cables": [{"ends": ["a", ["b"]]}]}, "two node names"),
                ({"nodes": ["a", "b"], "cables": [cable, {"ends": ["a", "c"]}]}, r"cables\[1\]: unknown node 'c'"),
                ({"nodes": ["a", "b"], "cables": [{"ends": ["a", "a"]}]}, "to itself"),
                ({"nodes": ["a", "b"], "cables": [cable | {"rate": "-1"}]}, r"cables\[0\]: bad rate"),
                ({"nodes": ["a", "b"], "cables": [cable | {"rate": 1e99}]}, "bad rate"),
                ({"nodes": ["a", "b"], "cables": [cable | {"rates": 1}]}, "unknown key 'rates'"),
                ({"nodes": ["a", "b", "c"], "cables": [cable]}, "no way leads from 'a' to 'c'"),
                ({"nodes": [f"n{number}" for number in range(257)], "cables": []}, "too many")):
            with self.assertRaisesRegex(UsageError, complaint):
                parse_network(json.dumps(document), 10**8)

    def test_junk_is_told_with_its_line(self):
        for text in ("", "{\n nodes", "\x00" * 1000, "[" * 100000, '{"nodes": NaN}', "9" * 5000):
            with self.assertRaises(UsageError):
                parse_network(text, 10**8)
        with self.assertRaisesRegex(UsageError, "line 3"):
            parse_network('{"nodes": ["a"],\n"cables": [\n}', 10**8)

    def test_files_that_cannot_be_read(self):
        with self.assertRaisesRegex(UsageError, "No such file"):
            read_network("/nonexistent/net.json", 10**8)
        with self.assertRaisesRegex(UsageError, "Is a directory"):
            read_network("/", 10**8)
        with self.assertRaisesRegex(UsageError, "longer than|not a text file"):
            read_network("/dev/zero", 10**8)
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"\xff\xfe\x00")
            file.flush()
            with self.assertRaisesRegex(UsageError, "not a text file"):
                read_network(file.name, 10**8)


if __name__ == "__main__":
    unittest.main()
