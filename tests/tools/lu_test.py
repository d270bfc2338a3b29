"""The `cuboid lu` command as a person or a script meets it: exit codes, messages, files, JSON.

Usage: lu_test.py CUBOID [unittest options]
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import npy
from command import MatrixTest, FAILED, launcher

KEYS = {
    "m", "n", "type", "ranks", "algorithm", "pivoting", "grid", "layers", "block", "seconds", "gflops",
    "residual", "factor_residual", "growth", "info", "finite", "determinant", "bytes_sent_total", "bytes_sent_max",
    "messages_max", "peak_memory_bytes_max", "kernels", "blas", "lapack", "phases", "steps",
    "predicted_seconds", "predicted_words", "memory_bytes_planned",
}


def matrix(n):
    """Small whole numbers, the diagonal larger than the rest of its row."""
    return [[n * 10 if i == j else (7 * i + 3 * j) % 11 - 5 for j in range(n)] for i in range(n)]


class LuTest(MatrixTest):
    subcommand = ("lu",)


class Usage(LuTest):
    def test_help(self):
        self.assertIn("cuboid lu A.npy -b B.npy -o X.npy", self.succeed("--help").stdout)

    def test_input(self):
        a = self.npy("A.npy", matrix(3))
        self.refuse([], "--n", "A.npy")
        self.refuse([a, "--n", 3], "--n")
        self.refuse(["--n", -1], "--n -1")
        self.refuse(["--n", 4, "-b", a], "-b", "--rhs")
        self.refuse([a, "-o", self.path("X.npy")], "-o", "-b")
        self.refuse([a, "-b", self.npy("B.npy", [[1], [2]])], "B.npy is 2 x 1", "A.npy is 3 x 3")
        self.refuse([self.npy("wide.npy", [[1, 2, 3]]), "--cholesky"], "1 x 3", "Cholesky")

    def test_flag_values(self):
        self.refuse(["--n", 8, "--pivoting", "rook"], "--pivoting rook", "tournament")
        self.refuse(["--n", 8, "--pivoting", "tournment"], "did you mean tournament?")
        self.refuse(["--n", 8, "--cholesky", "--pivoting", "partial"], "--cholesky", "--pivoting")
        self.refuse(["--n", 8, "--grid", "2y2"], "--grid 2y2", "2x3")
        self.refuse(["--n", 8, "--grid", "2x2x2", "--layers", 3], "--layers 3")
        self.refuse(["--n", 8, "--grid", "2x2", "--ranks", 3], "2x2x1", "4 ranks")
        self.refuse(["--n", 8, "--ranks", 2, "--layers", 3], "3 layers", "1 to 2")
        self.refuse(["--n", 8, "--block", 0], "--block 0")
        self.refuse(["--n", 8, "--repeat", 0], "--repeat")
        self.refuse(["--n", 8, "--type", "q"], "--type")
        self.refuse(["--n", 8, "--rhs", 0, "--refine", 1], "--refine")
        self.refuse(["--n", 8, "--rhs", 0, "--mixed"], "--mixed")
        self.refuse(["--n", 8, "--type", "s", "--mixed"], "--mixed", "--type d")
        self.refuse(["--n", 8, "--mixed", "--factors", "F.npy"], "--factors")

    def test_sizes_beyond_all_measure(self):
        self.breaks_off(["--n", 10**10, "--ranks", 1], "not enough memory")
        self.breaks_off(["--n", 8, "--rhs", 2**62, "--ranks", 1], "cannot allocate")
        self.refuse(["--n", 2**63 - 1, "--ranks", 1], "at most")
        self.refuse(["--n", 8, "--grid", "65536x32767", "--layers", 65536], "--ranks 2147483647")
        for block in (2**62, 2**63 - 1):
            self.assertEqual(self.result("--n", 8, "--block", block, "--ranks", 2, "--check")["block"], 8)

    def test_memory_limit(self):
        self.breaks_off(["--n", 500, "--ranks", 2, "--memory-limit", "10K"], "memory limit", "10240")


class Solving(LuTest):
    def test_files(self):
        n = 30
        rows = matrix(n)
        x = [[i + 1, 2 * i - 7] for i in range(n)]
        b = [[sum(rows[i][k] * x[k][j] for k in range(n)) for j in range(2)] for i in range(n)]
        a, b = self.npy("A.npy", rows), self.npy("B.npy", b)
        for more in (["--ranks", 1], ["--ranks", 4], ["--ranks", 4, "--grid", "1x2x2", "--block", 4],
                     ["--ranks", 3, "--pivoting", "partial"], ["--ranks", 2, "--pivoting", "none", "--refine", 1]):
            result = self.result(a, "-b", b, "-o", self.path("X.npy"), "--check", *more)
            self.assertLess(result["residual"], 1)
            for got, expected in zip(npy.read(self.path("X.npy")), x):
                for left, right in zip(got, expected):
                    self.assertAlmostEqual(left, right, places=9)

    def test_mixed_precision(self):
        for more in ([], ["--cholesky"]):
            result = self.result("--n", 50, "--rhs", 3, "--ranks", 2, "--mixed", "--check", "-o", self.path("X.npy"), *more)
            self.assertEqual(result["mixed_precision"]["method"], "refinement")
            self.assertLess(result["residual"], 1)
            self.assertIsNone(result["factor_residual"])
            self.assertEqual(len(npy.read(self.path("X.npy"))), 50)

    def test_factors(self):
        result = self.result("--n", 20, "--m", 30, "--ranks", 4, "--factors", self.path("F.npy"), "--check")
        self.assertLess(result["factor_residual"], 1)
        factors = npy.read(self.path("F.npy"))
        self.assertEqual((len(factors), len(factors[0])), (30, 20))

    def test_cholesky_takes_the_lower_triangle(self):
        n = 12
        rows = matrix(n)
        lower = [[rows[i][j] if i >= j else 99 for j in range(n)] for i in range(n)]
        result = self.result(self.npy("A.npy", lower), "--cholesky", "--ranks", 4, "--check")
        self.assertLess(result["factor_residual"], 1)
        self.assertEqual(result["algorithm"], "cholesky")

    def test_cholesky_is_a_command_too(self):
        symmetric = [[120 if i == j else (i + j) % 7 for j in range(12)] for i in range(12)]
        a, b, x = self.npy("A.npy", symmetric), self.npy("B.npy", [[1.0]] * 12), self.path("X.npy")
        solutions = []
        for command, more in (("lu", ["--cholesky"]), ("cholesky", [])):
            self.subcommand = (command,)
            result = self.result(a, "-b", b, "-o", x, "--ranks", 4, "--check", *more)
            self.assertEqual(result["algorithm"], "cholesky")
            solutions.append(npy.read(x))
        self.assertEqual(*solutions)
        self.assertNotIn("--pivoting", self.succeed("--help").stdout)
        self.refuse([a, "--pivoting", "partial"], "--pivoting")
        self.refuse([], "cuboid cholesky A.npy")

    def test_not_positive_definite(self):
        rows = matrix(6)
        rows[3][3] = -1.0
        a, b, x = self.npy("A.npy", rows), self.npy("B.npy", [[1]] * 6), self.path("X.npy")
        for more in ([], ["--mixed"]):
            run = self.run_command(a, "-b", b, "-o", x, "--ranks", 2, "--cholesky", "--json", *more)
            self.assertEqual(run.returncode, FAILED, run.stderr)
            self.assertIn('"info":4', run.stdout)
            self.assertIn("not positive definite: leading minor at 4; nothing was solved", run.stderr)
            self.assertFalse(os.path.exists(x))

    def test_singular(self):
        rows = matrix(6)
        for row in rows:
            row[3] = 0
        a, b = self.npy("A.npy", rows), self.npy("B.npy", [[1]] * 6)
        run = self.run_command(a, "-b", b, "--ranks", 2, "--json")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn('"info":4', run.stdout)
        self.assertIn("singular: a pivot of 0 at 4", run.stderr)

    def test_what_is_not_finite(self):
        rows = [[float(x) for x in row] for row in matrix(6)]
        good, ones = self.npy("good.npy", rows), self.npy("ones.npy", [[1.0]] * 6)
        rows[2][5] = float("nan")
        bad, wide, x = self.npy("bad.npy", rows), self.npy("wide.npy", rows[:3]), self.path("X.npy")
        for pivoting in ("none", "tournament", "partial"):
            run = self.run_command(bad, "-b", ones, "-o", x, "--ranks", 2, "--pivoting", pivoting)
            self.assertEqual(run.returncode, FAILED)
            self.assertIn("info        0, but the factors are not finite", run.stdout)
            self.assertNotIn("nan", run.stdout)
            self.assertIn("the matrix has a NaN or an infinity", run.stderr)
            self.assertIn("nothing was solved", run.stderr)
        run = self.run_command(bad, "-b", ones, "-o", x, "--ranks", 2, "--mixed")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn("the factors are not finite: the matrix is not", run.stderr)
        self.assertNotIn("single precision", run.stderr)
        run = self.run_command(wide, "--ranks", 2, "--json")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn('"finite":false', run.stdout)
        self.assertIn('"determinant":null', run.stdout)
        for more in ([], ["--mixed"]):
            run = self.run_command(good, "-b", self.npy("inf.npy", [[float("inf")]] * 6), "-o", x, *more)
            self.assertEqual(run.returncode, FAILED)
            self.assertIn("the right-hand sides have a NaN or an infinity", run.stderr)
            self.assertIn("the solution is not finite: the right-hand sides are not", run.stderr)
            self.assertNotIn("single precision", run.stderr)
            self.assertFalse(os.path.exists(x))

    def test_launched(self):
        result = self.result("--n", 100, "--check", launch=launcher(4))
        self.assertEqual(result["ranks"], 4)
        self.assertLess(result["residual"], 1)


class Json(LuTest):
    def test_keys(self):
        result = self.result("--n", 60, "--ranks", 4, "--grid", "1x2x2", "--check")
        self.assertLessEqual(KEYS, set(result))
        self.assertEqual(result["grid"], [1, 2, 2])
        self.assertEqual(set(result["steps"]), {"panel", "rows", "multicast", "interchange"})
        self.assertEqual(result["info"], 0)

    def test_every_type(self):
        for letter in "sdcz":
            result = self.result("--n", 40, "--ranks", 2, "--type", letter, "--check")
            self.assertEqual(result["type"], letter)
            self.assertLess(result["residual"], 1)

    def test_explained(self):
        self.assertIn("multicast B", self.succeed("--n", 200, "--ranks", 4, "--explain").stdout)


if __name__ == "__main__":
    unittest.main()
