"""`cuboid bench` as a person or a script meets it: messages, exit codes, JSON, right results.

Usage: bench_test.py CUBOID [unittest options]
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest, CUBOID, DONE, FAILED, USAGE, launcher, without_comments

OPERATIONS = ["broadcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter", "alltoall",
              "barrier"]
RESULT_KEYS = {"bytes", "algorithm", "seconds_median", "seconds_min", "bandwidth_bytes_per_second",
               "cables_bytes_per_second", "bound_bytes_per_second", "fraction_of_bound", "mpi_seconds_median", "errors",
               "predicted_seconds", "way"}
QUICK = ["--iterations", "3", "--warmup", "1", "--validate"]


class BenchTest(CommandTest):
    subcommand = ("bench",)

    def measure(self, *arguments, **how):
        result = self.result(*arguments, **how)
        for row in result["results"]:
            self.assertLessEqual(RESULT_KEYS, set(row))
        return result


class AsItIsMeasured(BenchTest):
    """Rows are printed when they are there; an interrupted run has printed whole rows."""

    def interrupted_after(self, row, *flags):
        """The output of a run that goes on for minutes, ended as soon as it has printed `row`."""
        command = [CUBOID, "bench", "broadcast", "--ranks", "2", "--size", "8:256M", "--iterations", "100", *flags]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
            text = ""
            while row not in text:
                more = os.read(run.stdout.fileno(), 1 << 16).decode()
                self.assertTrue(more, "the command ended first: " + text)
                text += more
            run.send_signal(signal.SIGINT)
            return text + run.stdout.read().decode()

    def test_table(self):
        lines = self.interrupted_after("\n        16 ").splitlines()
        self.assertTrue(lines[0].startswith("# broadcast, 2 ranks"), lines)
        self.assertEqual([int(line.split()[0]) for line in lines[2:4]], [8, 16])

    def test_json(self):
        result = json.loads(self.interrupted_after('"bytes":16,', "--json"))
        self.assertTrue(result["interrupted"])
        self.assertEqual([row["bytes"] for row in result["results"][:2]], [8, 16])

    def test_who_made_it(self):
        result = self.measure("broadcast", "--size", "8", "--ranks", "2", *QUICK)
        made = result["provenance"]
        self.assertIn("bench broadcast --size 8", made["command"])
        self.assertLessEqual({"cuboid", "commit", "host", "date", "mpi", "ucx"}, set(made))
        self.assertEqual((made["ranks"], made["network"], made["parameters"]), (2, "one node", None))
        text = self.succeed("broadcast", "--size", "8", "--ranks", "2", *QUICK, "--csv").stdout
        comments = [line for line in text.splitlines() if line.startswith("# ")]
        self.assertTrue(text.startswith("# cuboid: "), text)
        self.assertIn("# network: one node", comments)
        self.assertTrue(any(line.startswith("# command: ") and "--csv" in line for line in comments), comments)
        self.assertEqual(len(list(csv.DictReader(without_comments(text)))), 1)
        self.assertNotIn("interrupted", result)


class Usage(BenchTest):
    def test_operations(self):
        self.refuse([], *OPERATIONS)
        self.refuse(["frobnicate"], "frobnicate", *OPERATIONS)
        self.refuse(["brodcast"], "did you mean broadcast?")
        self.refuse(["latncy"], "did you mean latency?")
        self.refuse(["osu_bcast"], "did you mean bcast?")
        self.refuse(["osu_latency"], "did you mean latency?")
        self.refuse(["broadcast", "--iteration", "3"], "--iteration", "did you mean --iterations?")

    def test_names_of_mpi_and_osu(self):
        result = self.measure("ibcast", "--size", "8", "--ranks", "2", *QUICK)
        self.assertEqual((result["operation"], result["call"]), ("broadcast", "nonblocking"))
        self.refuse(["ibcast", "--call", "persistent"], "ibcast", "--call persistent")
        self.assertEqual(self.measure("reduce_scatter_block", "--size", "8", "--ranks", "2", *QUICK)["operation"],
                         "reduce_scatter")
        result = self.measure("bcast", "-T", "mpi_int", "--size", "8", "--ranks", "2", *QUICK)
        self.assertEqual((result["operation"], result["type"]), ("broadcast", "int32"))

    def test_sizes(self):
        self.refuse(["broadcast", "--size", "many"], "--size many", "16M", "8:64K")
        self.refuse(["broadcast", "--size", "64:8"], "--size 64:8", "smaller")
        self.refuse(["broadcast", "--size", "0"], "--size 0")
        self.refuse(["barrier", "--size", "8"], "--size 8", "barrier")
        self.refuse(["barrier", "--type", "int8"], "--type int8", "barrier")

    def test_types(self):
        self.refuse(["broadcast", "--type", "quad"], "quad", "float64", "byte")
        self.refuse(["reduce", "--type", "byte", "--ranks", "2"], "byte", "reduce")

    def test_algorithms(self):
        self.refuse(["broadcast", "--algorithm", "magic"], "--algorithm magic", "auto", "all", "binomial", "chain")
        self.refuse(["barrier", "--algorithm", "chain"], "--algorithm chain", "dissemination")

    def test_roots(self):
        self.refuse(["broadcast", "--root", "2", "--ranks", "2"], "--root 2", "0 to 1")
        self.refuse(["broadcast", "--root", "-1", "--ranks", "2"], "--root -1")
        self.refuse(["allgather", "--root", "1"], "--root 1", "no root")

    def test_counts(self):
        self.refuse(["broadcast", "--iterations", "0"], "--iterations 0")
        self.refuse(["broadcast", "--warmup", "-1"], "--warmup -1")
        self.refuse(["broadcast", "--ranks", "0"], "--ranks 0")

    def test_in_place(self):
        for operation in ("broadcast", "alltoall", "barrier"):
            self.refuse([operation, "--in-place"], "--in-place", "allreduce")

    def test_against_mpi_without_mpirun(self):
        self.refuse(["broadcast", "--against", "mpi"], "--against mpi", "mpirun -n 4")
        self.refuse(["broadcast", "--against", "nothing"], "--against nothing", "mpi")

    def test_lines(self):
        self.refuse(["broadcast", "--lines", "0", "--ranks", "2"], "--lines 0", "CUBOID_TOPOLOGY")
        self.refuse(["broadcast", "--lines", "2", "--ranks", "4"], "--lines 2", "axes 0 to 1",
                    environment={"CUBOID_TOPOLOGY": "torus:2x2"})

    def test_arguments_before_a_subcommand(self):
        self.refuse(["broadcast", "latency"], "broadcast", "cuboid bench latency --help")
        self.refuse(["--size", "8", "latency"], "--size", "cuboid bench latency --help")
        self.refuse(["latency", "twice"], "twice", "cuboid bench latency --help")

    def test_help_shows_how_to_call_what_was_asked_for(self):
        for name in ("latency", "pairs", "links", "plan"):
            text = self.succeed(name, "--help").stdout
            examples = [line for line in text.splitlines() if "cuboid bench" in line and not line.startswith("Usage")]
            self.assertGreater(len(examples), 0)
            for line in examples:
                self.assertIn("cuboid bench " + name, line)

    def test_ranks_that_all_give_up_are_told_of_once(self):
        for _ in range(3):
            run = self.run_command("links", "--ranks", 4)
            self.assertEqual(run.returncode, USAGE)
            self.assertNotIn("UCX", run.stderr)

    def test_plans_of_one_kind(self):
        self.refuse(["plan", "--n", "8"], "--n", "multiply")
        self.refuse(["plan", "--operation", "multiply", "--size", "8"], "--size 8", "--m")
        self.refuse(["plan", "--operation", "barrier", "--size", "8"], "--size 8", "barrier")

    def test_plans_that_no_machine_holds(self):
        for network in ("torus:2147483648x2", "torus:65536x65536x65536", "torus:99999999999999999999", "torus:4x-4",
                        "torus:4x0", "torus:1024x1024x1024"):
            self.refuse(["plan", "--network", network], "--network " + network)
        for size in ("99999999999999999999999", "17179869184G", "-5", "64M:"):
            self.refuse(["plan", "--network", "torus:4x4", "--size", size], "--size " + size)
        self.refuse(["plan", "--network", "torus:4x4", "--rank", "16"], "--rank 16", "0 to 15")
        self.refuse(["plan", "--network", "torus:4x4", "--rank", "99999999999"], "--rank")

    def test_plans_of_large_tori(self):
        plan = self.result("plan", "--network", "torus:64x64x64", "--operation", "allreduce", "--size", "64M")
        call = plan["results"][0]
        self.assertGreater(call["fraction_of_bound"], 0.85)
        self.assertLess(call["peak_bytes"], 16e6)


class Results(BenchTest):
    def test_every_operation_is_right(self):
        for operation in OPERATIONS:
            sizes = [] if operation == "barrier" else ["--size", "1K:8K"]
            for ranks in (1, 3):
                with self.subTest(operation=operation, ranks=ranks):
                    result = self.measure(operation, *sizes, "--ranks", ranks, *QUICK)
                    self.assertEqual([result["operation"], result["ranks"]], [operation, ranks])
                    self.assertEqual(len(result["results"]), 4 if sizes else 1)
                    for row in result["results"]:
                        self.assertEqual(row["errors"], 0)
                        self.assertGreater(row["seconds_median"], 0)
                        self.assertGreaterEqual(row["seconds_median"], row["seconds_min"])
                        self.assertIsNone(row["mpi_seconds_median"])
                        self.assertIsNone(row["bound_bytes_per_second"])

    def test_samples(self):
        (row,) = self.measure("broadcast", "--size", "1K", "--ranks", 2, "-i", 20, "--samples")["results"]
        self.assertEqual(len(row["samples_seconds"]), 20)
        self.assertEqual(min(row["samples_seconds"]), row["seconds_min"])
        self.assertLessEqual(row["seconds_median_low"], row["seconds_median"])
        self.assertLessEqual(row["seconds_median"], row["seconds_median_high"])
        self.refuse(["broadcast", "--size", "1K", "--samples"], "--samples", "--json")

    def test_in_place_and_another_root(self):
        for operation in ("reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter"):
            with self.subTest(operation=operation):
                root = ["--root", 2] if operation in ("reduce", "gather", "scatter") else []
                result = self.measure(operation, "--in-place", *root, "--size", "1:64", "--ranks", 3, "--type",
                                      "int16", *QUICK)
                self.assertTrue(result["in_place"])
                for row in result["results"]:
                    self.assertEqual(row["errors"], 0)

    def test_sizes_are_rounded_up_to_whole_blocks(self):
        result = self.measure("allgather", "--size", "1:32", "--ranks", 3, *QUICK)
        self.assertEqual([row["bytes"] for row in result["results"]], [24, 48])

    def test_all_algorithms_are_right(self):
        for operation in ("broadcast", "allreduce", "allgather"):
            with self.subTest(operation=operation):
                result = self.measure(operation, "--algorithm", "all", "--size", "20K", "--ranks", 5, *QUICK)
                names = [row["algorithm"] for row in result["results"]]
                self.assertGreater(len(names), 1)
                self.assertEqual(len(names), len(set(names)))
                self.assertEqual({row["errors"] for row in result["results"]}, {0})
        result = self.measure("broadcast", "--algorithm", "chain", "--size", "64", "--ranks", 3, *QUICK)
        self.assertEqual([row["algorithm"] for row in result["results"]], ["chain"])

    def test_lines_of_a_network(self):
        result = self.measure("broadcast", "--lines", 1, "--size", "10K", "--ranks", 6, *QUICK,
                              environment={"CUBOID_TOPOLOGY": "torus:2x3"})
        self.assertEqual([result["shape"]["extents"], result["axis"], result["lines"]], [[2, 3], 1, 2])
        self.assertEqual(result["results"][0]["errors"], 0)

    def test_table_for_people(self):
        run = self.run_command("allreduce", "--size", "64", "--ranks", 2, *QUICK)
        self.assertEqual(run.returncode, DONE, run.stderr)
        for part in ("allreduce, 2 ranks", "median us", "p99 us", "MB/s", "of bound", "errors", "algorithm"):
            self.assertIn(part, run.stdout)


@unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
class Calibration(BenchTest):
    def calibrate(self, *arguments, environment=None):
        """One run that wrote its numbers; skips the test where other programs use the cores each time."""
        for _ in range(3):
            run = self.run_command("--calibrate", *arguments, environment=environment)
            if run.returncode == DONE:
                return run
            self.assertIn("no file was written: calibrate again when the machine is idle", run.stderr)
        self.skipTest("other programs use the cores: " + run.stderr)

    def test_the_file_is_written_and_read(self):
        with tempfile.TemporaryDirectory() as cache:
            own = {"XDG_CACHE_HOME": cache, "CUBOID_PARAMETERS": "", "CUBOID_LOG": "info"}
            run = self.calibrate("--ranks", "2", "--json", environment=own)
            measured = json.loads(run.stdout)
            self.assertTrue(measured["file"].startswith(cache))
            for number in ("alpha_seconds", "beta_seconds_per_byte", "send_overhead_seconds",
                           "receive_overhead_seconds", "gap_seconds"):
                interval = measured["within_node"][number]
                self.assertLess(0, interval["value"], number)
                self.assertLessEqual(interval["least"], interval["value"])
                self.assertLessEqual(interval["value"], interval["most"])
            said = "parameters: " + measured["file"]
            made = self.measure("barrier", "--ranks", "2", environment=own)["provenance"]
            self.assertEqual((made["ranks"], made["parameters"]), (2, measured["file"]))
            self.assertIn(said, self.run_command("barrier", "--ranks", "2", environment=own).stderr)
            self.assertNotIn(said, self.run_command("barrier", "--ranks", "3", environment=own).stderr)
            own["CUBOID_PARAMETERS"] = "none"
            self.assertNotIn(said, self.run_command("barrier", "--ranks", "2", environment=own).stderr)

    def test_the_table_and_the_file_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.json")
            run = self.calibrate("--ranks", "3", "--output", path)
            for word in ("within a node", "alpha", "latency", "gap per byte", path):
                self.assertIn(word, run.stdout)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["hosts"][0]["ranks"], 3)
            self.measure("barrier", "--ranks", "3", environment={"CUBOID_PARAMETERS": path})

    def test_a_named_file_must_be_good(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"version": 8,\n "hosts": [],\n "cables": [],\n "context_switch_us": 1}')
            file.flush()
            run = self.run_command("barrier", "--ranks", "2", environment={"CUBOID_PARAMETERS": file.name})
            self.assertEqual(run.returncode, USAGE, run.stdout + run.stderr)
            self.assertIn(f"{file.name}:4: unknown key", run.stderr)

    def test_bad_usage(self):
        self.refuse(["--calibrate", "broadcast"], "--calibrate", "broadcast")
        self.refuse(["--calibrate", "--ranks", "1"], "--ranks 1", "at least 2")
        self.refuse(["broadcast", "--output", "x"], "--output x", "--calibrate")

    def test_where_it_cannot_be_written(self):
        run = self.run_command("--calibrate", "--ranks", "2", "--output", "/dev/null/p.json")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn("/dev/null/p.json", run.stderr)


class AgainstMpi(BenchTest):
    def test_every_operation(self):
        for operation in OPERATIONS:
            with self.subTest(operation=operation):
                sizes = [] if operation == "barrier" else ["--size", "2K"]
                result = self.measure(operation, *sizes, "--against", "mpi", *QUICK, launch=launcher(2))
                self.assertEqual(result["ranks"], 2)
                self.assertGreater(result["results"][0]["mpi_seconds_median"], 0)
                self.assertEqual(result["results"][0]["errors"], 0)

    def test_in_place(self):
        for operation in ("reduce", "allgather", "reduce_scatter", "scatter"):
            with self.subTest(operation=operation):
                self.measure(operation, "--size", "2K", "--in-place", "--against", "mpi", *QUICK, launch=launcher(2))


if __name__ == "__main__":
    unittest.main()
