"""The `cuboid` command where the system allows it little (ulimit): an error that helps, and nothing left behind.

Usage: limits_test.py CUBOID [unittest options]
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest


def with_limit(limit):
    return ["sh", "-c", f'ulimit -c 0 && ulimit {limit} && exec "$@"', "sh"]


class Limits(CommandTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def leaves_nothing(self, limit, arguments, *mentions):
        self.breaks_off(arguments, *mentions, launch=with_limit(limit))
        self.assertEqual(os.listdir(self.folder.name), [])

    def product(self, *more):
        return ["mm", "--m", "1000", "--n", "1000", "--k", "1000", "--ranks", "2", *more]

    def test_file_descriptors(self):
        for descriptors in (8, 12):
            self.leaves_nothing(f"-n {descriptors}", ["bench", "broadcast", "--size", "1K", "--ranks", "2"], "ulimit -n")

    def test_the_length_of_files(self):
        for file in ("c.npy", "c.mtx"):
            self.leaves_nothing("-f 100", self.product("-o", os.path.join(self.folder.name, file)), file, "File too large")

    def test_memory(self):
        for kilobytes in (60000, 80000, 100000):
            self.leaves_nothing(f"-v {kilobytes}", self.product("-o", os.path.join(self.folder.name, "c.npy")), "ulimit -v")


if __name__ == "__main__":
    unittest.main()
