"""`cuboid bench --osu` held against tables in the format of OSU's benchmarks, which scripts of a site read: the same
lines of comment, and the columns at the same places.

Usage: osu_columns_test.py CUBOID [unittest options]
"""

import csv
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest, launcher, without_comments

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "osu_samples")
QUICK = ["-i", "3", "-x", "1", "-m", "1:4"]


def lines_of(text):
    if not text.endswith("\n"):
        raise AssertionError("the last line has no end")
    return text.splitlines()


def ends(row):
    """Where the columns of a row end, and its first word, the size."""
    return [match.end() for match in re.finditer(r"\S+", row)][1:], row.split()[0]


class Columns(CommandTest):
    subcommand = ("bench",)

    def agrees(self, sample, *arguments):
        ours = lines_of(self.succeed(*arguments, "--osu").stdout)
        with open(os.path.join(SAMPLES, sample + ".txt"), encoding="utf-8") as file:
            theirs = lines_of(file.read())
        comments = [line for line in theirs if not line or line.startswith("#")]
        self.assertEqual(ours[:len(comments)], comments)
        rows = theirs[len(comments):]
        self.assertEqual([ends(row) for row in ours[len(comments):]], [ends(row) for row in rows])
        for row in ours[len(comments):]:
            for word in row.split():
                self.assertRegex(word, r"^(\d+(\.\d\d)?|Pass)$")

    def test_between_two_ranks(self):
        self.agrees("latency", "latency", "--ranks", 2, *QUICK)
        self.agrees("multi_lat_full", "multi_lat", "--ranks", 2, "-f", *QUICK)
        self.agrees("bw", "bw", "--ranks", 2, *QUICK)
        self.agrees("mbw_mr", "mbw_mr", "--ranks", 2, *QUICK)
        self.agrees("get_bw", "get_bw", "--ranks", 2, *QUICK)
        self.agrees("put_latency", "put_latency", "--ranks", 2, *QUICK)

    def test_collectives(self):
        self.agrees("allgather_full", "allgather", "--ranks", 3, "-f", *QUICK)
        self.agrees("allreduce_validated", "allreduce", "--ranks", 2, "-c", *QUICK)
        self.agrees("ialltoall", "alltoall", "--call", "nonblocking", "--ranks", 3, *QUICK)
        self.agrees("iallreduce_full", "allreduce", "--call", "nonblocking", "--ranks", 2, "-f", "-c", *QUICK)
        self.agrees("alltoallv_persistent", "alltoallv", "--call", "persistent", "--ranks", 2, *QUICK)

    def test_percentiles(self):
        self.agrees("allreduce_tail", "allreduce", "--ranks", 2, "-c", *QUICK, "-z")
        self.agrees("bw_tail", "bw", "--ranks", 2, *QUICK, "-z5,95")
        for name, more in (("bcast", []), ("latency", []), ("mbw_mr", []), ("ibcast", []), ("bcast", ["-f"])):
            run = self.succeed(name, "--ranks", 2, "--osu", "-i", 5, "-m", "8:8", *more, "--tail-lat=1,50,50,100")
            tail = [float(word) for word in lines_of(run.stdout)[-1].split()[-4:]]
            self.assertEqual(tail, sorted(tail))
            self.assertEqual(tail[1], tail[2])
        barrier = self.succeed("barrier", "--ranks", 2, "--osu", "-i", 3, "-z50").stdout
        self.assertEqual(len(lines_of(barrier)[-1].split()), 2)

    def test_a_barrier_has_no_sizes(self):
        for sample, form in (("barrier", "blocking"), ("ibarrier", "nonblocking")):
            ours = lines_of(self.succeed("barrier", "--ranks", 2, "--osu", "-i", 3, "--call", form).stdout)
            with open(os.path.join(SAMPLES, sample + ".txt"), encoding="utf-8") as file:
                theirs = lines_of(file.read())
            self.assertEqual(ours[:-1], theirs[:-1])
            self.assertEqual([match.end() for match in re.finditer(r"\S+", ours[-1])],
                             [match.end() for match in re.finditer(r"\S+", theirs[-1])])
        self.refuse(["barrier", "-m", "1:2"], "--message-size 1:2", "no message")

    def test_sizes_are_those_of_a_block(self):
        run = self.succeed("alltoall", "--ranks", 3, "--osu", "-i", 2, "-m", "8")
        sizes = [line.split()[0] for line in run.stdout.splitlines() if line and not line.startswith("#")]
        self.assertEqual(sizes, ["1", "2", "4", "8"])


    def test_what_osu_does_not_have_has_no_title_of_it(self):
        for name in ("scan", "get_overlap", "direct_read"):
            text = self.succeed(name, "--ranks", 2, "--osu", *QUICK).stdout
            self.assertIn("# Cuboid ", text)
            self.assertNotIn("OSU", text)


class Pairs(CommandTest):
    subcommand = ("bench",)
    NAMES = ["latency", "bw", "bibw", "multi_lat", "mbw_mr", "put_latency", "put_bw", "get_latency", "get_bw",
             "get_overlap", "send_overlap", "direct_read", "copied_read"]

    def test_what_arrives_is_right(self):
        for name in self.NAMES:
            for ranks, sizes, rows in ((2, "0:4", 4), (5, "64K", 1)):
                with self.subTest(name=name, ranks=ranks):
                    result = self.result(name, "--ranks", ranks, "--size", sizes, "-i", 2, "-x", 0, "-c")
                    self.assertEqual([row["errors"] for row in result["results"]], [0] * rows)
                    self.assertEqual(result["pairs"], 2 if ranks == 5 and name in ("multi_lat", "mbw_mr") else 1)

    def test_csv_has_the_rows_of_json(self):
        run = self.succeed("mbw_mr", "--ranks", 4, "--pairs", 1, "--size", "1:4", "-i", 2, "--csv")
        rows = list(csv.DictReader(without_comments(run.stdout)))
        self.assertEqual([row["bytes"] for row in rows], ["1", "2", "4"])
        for row in rows:
            self.assertGreater(float(row["messages_per_second"]), 0)
            self.assertEqual(row["mpi_seconds_mean"], "")

    def test_bad_usage(self):
        self.refuse(["latency", "--ranks", 1], "--ranks 1", "at least 2")
        self.refuse(["mbw_mr", "--ranks", 4, "--pairs", 3], "--pairs 3", "at most 2")
        self.refuse(["bw", "--window", 0], "--window 0", "1 to 256")
        self.refuse(["bw", "-m", "8:4"], "--message-size 8:4", "greater")
        self.refuse(["bw", "-m", "8", "--size", "8"], "--message-size 8", "--size 8")
        self.refuse(["bw", "--json", "--csv"], "--json", "--csv")
        self.refuse(["bw", "--full"], "--full", "--osu")
        self.refuse(["bw", "-z"], "--tail-lat", "--osu")
        for percentiles in ("0", "101", "50,", "50;99", "bcast"):
            self.refuse(["bw", "--osu", "-z", percentiles], f"--tail-lat {percentiles}", "1 to 100", "behind all else")
        self.refuse(["get_overlap", "--osu", "-z"], "-z")
        self.refuse(["--calibrate", "--osu", "-z"], "--calibrate")
        self.refuse(["bw", "--against", "mpi"], "--against mpi", "mpirun -n 4")
        self.refuse(["pairs", "--ranks", 1], "--ranks 1")
        self.refuse(["pairs", "--size", "1:8"], "--size 1:8", "one size")
        self.refuse(["links", "--ranks", 2], "CUBOID_TOPOLOGY")

    def test_all_pairs(self):
        result = self.result("pairs", "--ranks", 3, "--size", "1K", "-i", 1)
        self.assertEqual([(row["from"], row["to"]) for row in result["results"]],
                         [(a, b) for a in range(3) for b in range(3) if a != b])
        for row in result["results"]:
            self.assertGreater(row["latency_seconds"], 0)
            self.assertGreater(row["bandwidth_bytes_per_second"], 0)

    def test_all_cables(self):
        result = self.result("links", "--ranks", 6, "--size", "1K", "-i", 1,
                             environment={"CUBOID_TOPOLOGY": "torus:2x3"})
        self.assertEqual(len(result["results"]), 18)
        self.assertEqual(sum(row["cables"] for row in result["results"]), 24)  # an axis of 2 has two cables
        for row in result["results"]:
            self.assertGreater(row["alone_bytes_per_second"], 0)
            self.assertGreater(row["together_bytes_per_second"], 0)


class Forms(CommandTest):
    subcommand = ("bench",)

    def test_with_lengths_and_own_types(self):
        for operation in ("allgatherv", "gatherv", "scatterv", "alltoallv", "reduce_scatterv", "scan"):
            for form in ("blocking", "nonblocking", "persistent"):
                with self.subTest(operation=operation, form=form):
                    result = self.result(operation, "--call", form, "--type", "user:24", "--ranks", 3, "--size", "1K",
                                         "-i", 2, "-c")
                    self.assertEqual([result["operation"], result["call"]], [operation, form])
                    self.assertEqual(result["results"][0]["errors"], 0)
                    self.assertEqual("overlap_percent" in result["results"][0], form == "nonblocking")

    def test_part_of_a_network(self):
        torus = {"CUBOID_TOPOLOGY": "torus:3x4"}
        for more, lines in ([], 1), (["--lines", 1], 2):
            result = self.result("broadcast", "--sub-box", "2x2@2,1", "--ranks", 12, "--size", "1K", "-i", 2, "-c",
                                 *more, environment=torus)
            self.assertEqual([result["ranks"], result["sub_box"], result["lines"]], [4, "2x2@2,1", lines])
            self.assertEqual(result["results"][0]["errors"], 0)
            self.assertNotEqual(result["results"][0]["algorithm"], "")
        self.refuse(["broadcast", "--sub-box", "2x5", "--ranks", 12], "--sub-box 2x5", environment=torus)
        self.refuse(["broadcast", "--sub-box", "2x2@1", "--ranks", 12], "--sub-box 2x2@1", "2x2@1,1",
                    environment=torus)
        self.refuse(["broadcast", "--sub-box", "2x2", "--ranks", 2], "--sub-box 2x2", "CUBOID_TOPOLOGY")

    def test_bad_usage(self):
        self.refuse(["allreducev"], "allreducev", "allgatherv")
        self.refuse(["broadcast", "--call", "often"], "--call", "often", "persistent")
        self.refuse(["broadcast", "--type", "user:0"], "--type user:0")
        self.refuse(["--calibrate", "--sub-box", "2x2"], "--sub-box")


@unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
class TurnsWithMpi(CommandTest):
    subcommand = ("bench",)

    def test_between_two_ranks(self):
        for name in ("bw", "get_latency", "direct_read"):
            row = self.result(name, "--against", "mpi", "--size", "1K", "-i", 2, "-c", launch=launcher(2))["results"][0]
            self.assertGreater(row["mpi_seconds_median"], 0)
        table = self.succeed("send_overlap", "--against", "mpi", "--size", "1K", "-i", 2, "--osu", launch=launcher(2))
        self.assertEqual(table.stdout.count("Overlap(%)"), 2)
        pair = self.result("pairs", "--against", "mpi", "-i", 1, launch=launcher(2))["results"][0]
        self.assertGreater(pair["mpi_bandwidth_bytes_per_second"], 0)

    def test_forms(self):
        for operation, form in (("allgatherv", "persistent"), ("reduce_scatterv", "nonblocking"), ("scan", "blocking")):
            run = self.succeed(operation, "--call", form, "--type", "user:24", "--against", "mpi", "--size", "1K", "-i",
                               2, "-c", "--csv", launch=launcher(2))
            row = next(csv.DictReader(without_comments(run.stdout)))
            self.assertGreater(float(row["mpi_seconds_median"]), 0)
            self.assertEqual([row["errors"], "mpi_overlap_percent" in row], ["0", form == "nonblocking"])


if __name__ == "__main__":
    unittest.main()
