"""The `cuboid qr` and `cuboid lstsq` commands as a person or a script meets them: exit codes, messages, files, JSON.

Usage: qr_test.py CUBOID [unittest options]
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import npy
from command import MatrixTest, FAILED, launcher

KEYS = {
    "m", "n", "type", "ranks", "algorithm", "grid", "block", "seconds", "gflops", "residual", "factor_residual",
    "orthogonality", "info", "finite", "bytes_sent_total", "bytes_sent_max", "messages_max", "peak_memory_bytes_max",
    "kernels", "blas", "lapack", "phases", "steps", "predicted_seconds", "predicted_words", "predicted_steps",
    "memory_bytes_planned",
}


def matrix(m, n):
    """Small whole numbers, of full rank."""
    return [[(20 if i == j else 0) + (7 * i + 3 * j) % 11 - 5 for j in range(n)] for i in range(m)]


def product(a, b):
    return [[sum(row[k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for row in a]


class QrTest(MatrixTest):
    subcommand = ("qr",)

    def assert_close(self, got, expected):
        self.assertEqual((len(got), len(got[0])), (len(expected), len(expected[0])))
        for left, right in zip(got, expected):
            for one, other in zip(left, right):
                self.assertAlmostEqual(one, other, places=9)


class Factors(QrTest):
    def test_usage(self):
        self.assertIn("cuboid qr A.npy --q Q.npy", self.succeed("--help").stdout)
        a = self.npy("A.npy", matrix(3, 3))
        self.refuse([], "--n", "A.npy")
        self.refuse([a, "--n", 3], "--n")
        self.refuse(["--n", 8, "--grid", "2x2x2"], "--grid 2x2x2", "2x3")
        self.refuse(["--n", 8, "--grid", "2x2", "--ranks", 3], "2x2", "4 ranks")
        self.refuse(["--n", 8, "--block", 0], "--block 0")
        self.breaks_off(["--n", 500, "--ranks", 2, "--memory-limit", "10K"], "memory limit", "10240")
        self.breaks_off(["--n", 10**10, "--ranks", 1], "not enough memory")

    def test_files(self):
        for m, n, more in ((30, 8, ["--ranks", 1]), (30, 8, ["--ranks", 3, "--block", 4]),
                           (8, 30, ["--ranks", 4, "--grid", "2x2", "--block", 3]), (12, 12, ["--ranks", 2])):
            rows = matrix(m, n)
            result = self.result(self.npy("A.npy", rows), "--q", self.path("Q.npy"), "--r", self.path("R.npy"),
                                 "--factors", self.path("F.npy"), "--check", *more)
            self.assertLess(result["factor_residual"], 1)
            self.assertLess(result["orthogonality"], 1)
            q, r, factors = (npy.read(self.path(name)) for name in ("Q.npy", "R.npy", "F.npy"))
            self.assertEqual((len(factors), len(factors[0])), (m, n))
            self.assert_close(product(q, r), rows)
            self.assertEqual(r[min(m, n) - 1][:min(m, n) - 1], [0] * (min(m, n) - 1))

    def test_what_is_not_finite(self):
        rows = [[float(x) for x in row] for row in matrix(6, 4)]
        rows[2][3] = float("nan")
        run = self.run_command(self.npy("A.npy", rows), "--ranks", 2, "--json")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn('"finite":false', run.stdout)
        self.assertIn("the matrix has a NaN or an infinity", run.stderr)

    def test_json(self):
        result = self.result("--m", 90, "--n", 60, "--ranks", 4, "--grid", "2x2", "--check")
        self.assertLessEqual(KEYS, set(result))
        self.assertEqual(result["grid"], [2, 2])
        self.assertEqual(set(result["steps"]), {"panel", "multicast", "sums"})
        for letter in "sdcz":
            result = self.result("--m", 50, "--n", 40, "--ranks", 2, "--type", letter, "--check")
            self.assertEqual(result["type"], letter)
            self.assertLess(result["orthogonality"], 1)
        self.assertIn("multicast", self.succeed("--n", 200, "--ranks", 4, "--explain").stdout)


class LeastSquares(QrTest):
    subcommand = ("lstsq",)

    def test_usage(self):
        a = self.npy("A.npy", matrix(3, 3))
        self.assertIn("cuboid lstsq A.npy -b B.npy", self.succeed("--help").stdout)
        self.refuse([a], "-b")
        self.refuse(["--n", 4, "-b", a], "-b", "--rhs")
        self.refuse([a, "-b", self.npy("B.npy", [[1], [2]])], "B.npy is 2 x 1", "A.npy is 3 x 3")

    def test_files(self):
        for m, n in ((30, 8), (9, 9), (6, 20)):
            a = matrix(m, n)
            x = [[i + 1, 2 * i - 7] for i in range(n)]
            b = product(a, x)
            for more in (["--ranks", 1], ["--ranks", 4, "--block", 3]):
                result = self.result(self.npy("A.npy", a), "-b", self.npy("B.npy", b), "-o", self.path("X.npy"),
                                     "--check", *more)
                self.assertLess(result["residual"], 1)
                got = npy.read(self.path("X.npy"))
                self.assert_close(got if m >= n else product(a, got), x if m >= n else b)

    def test_right_hand_sides_that_are_not_finite(self):
        for m, n in ((6, 4), (4, 6)):
            b = self.npy("B.npy", [[float("nan")]] + [[1.0]] * (m - 1))
            run = self.run_command(self.npy("A.npy", matrix(m, n)), "-b", b, "--ranks", 2)
            self.assertEqual(run.returncode, FAILED)
            self.assertIn("the right-hand sides have a NaN or an infinity", run.stderr)

    def test_not_of_full_rank(self):
        rows = matrix(6, 4)
        for row in rows:
            row[0] = 0
        run = self.run_command(self.npy("A.npy", rows), "-b", self.npy("B.npy", [[1]] * 6), "--ranks", 2, "--json")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn('"info":1', run.stdout)
        self.assertIn("not of full rank: R has a 0 at 1", run.stderr)

    def test_launched(self):
        result = self.result("--m", 100, "--n", 40, "--check", launch=launcher(4))
        self.assertEqual(result["ranks"], 4)
        self.assertLess(result["residual"], 1)


if __name__ == "__main__":
    unittest.main()
