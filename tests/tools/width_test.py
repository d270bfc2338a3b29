"""Whatever `cuboid` prints as text fits on a page of 80 columns.

Usage: width_test.py CUBOID [unittest options]
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest, launcher

COLUMNS = 80
QUICK = ["--size", "1M", "-i", "2"]
PRODUCT = ["--m", "96", "--n", "96", "--k", "96", "--ranks", "4"]
FORMS = [["--call", "blocking"], ["--call", "nonblocking"], ["-c", "--call", "nonblocking"], ["-c"]]


class Width(CommandTest):
    seconds = 300

    def fits(self, *arguments, **how):
        """Every line is short enough; a word that is longer, such as a path, stands alone on its line."""
        lines = self.succeed(*arguments, **how).stdout.splitlines()
        self.assertTrue(lines)
        for line in lines:
            if len(line.split()) > 1:
                self.assertLessEqual(len(line), COLUMNS, f"{arguments}: {line}")

    def test_measurements(self):
        for form in FORMS:
            for algorithm in ("auto", "all"):
                self.fits("bench", "allreduce", "--ranks", 2, *QUICK, *form, "--algorithm", algorithm)
        emulated = {"CUBOID_TOPOLOGY": "torus:2x2@100mbit"}
        self.fits("bench", "broadcast", "--ranks", 4, *QUICK, environment=emulated)
        for name in ("latency", "bw", "mbw_mr", "put_bw"):
            self.fits("bench", name, "--ranks", 2, *QUICK)
        self.fits("bench", "pairs", "--ranks", 2)

    def test_measurements_against_mpi(self):
        for form in FORMS:
            self.fits("bench", "allreduce", *QUICK, *form, "--against", "mpi", launch=launcher(2))

    def test_plans(self):
        self.fits("bench", "plan", "--network", "torus:8x8", "--size", "1K:1M")
        self.fits("bench", "plan", "--network", "torus:4x4", "--operation", "multiply", "--n", 4096)

    def test_products(self):
        self.fits("mm", *PRODUCT, "--check", "--split")
        self.fits("mm", *PRODUCT, "--explain")
        self.fits("mm", *PRODUCT, "--algorithm", "all", "--check")
        self.fits("mm", "--m", 16384, "--n", 16384, "--k", 16384, "--ranks", 9216, "--volume-only")

    def test_systems(self):
        self.fits("lu", "--n", 200, "--ranks", 4, "--explain")
        self.fits("lu", "--n", 200, "--ranks", 4, "--cholesky", "--explain")
        self.fits("qr", "--n", 200, "--ranks", 4, "--explain")

    def test_networks(self):
        self.fits("topo", "--ranks", 4)
        self.fits("topo", "--ranks", 8, "--topology", "torus:2x2x2@100mbit")

    def test_models(self):
        self.fits("model", "broadcast", "--network", "torus:4x4", "--size", "1K:1M", "--algorithm", "all", "--simulate")
        for what in (["mm", "--m", 8192, "--n", 8192, "--k", 8192], ["lu", "--n", 65536], ["cholesky", "--n", 65536],
                     ["qr", "--m", 65536, "--n", 4096]):
            self.fits("model", *what, "--network", "torus:4x4x4")
        self.fits("model", "figure", "list")
        for figure in self.result("model", "figure", "list")["figures"]:
            self.fits("model", "figure", figure["name"])

    def test_version_and_help(self):
        self.fits("--version")
        self.fits("experiment", "list")


if __name__ == "__main__":
    unittest.main()
