"""`cuboid model` as a person or a script meets it: messages, exit codes, JSON, plots.

Usage: model_test.py CUBOID [unittest options]
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CUBOID, CommandTest, interrupted_when, written_to, DONE, FAILED

COLLECTIVES = ["broadcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter", "alltoall"]
MULTIPLICATIONS = ["summa", "hsumma", "cannon", "sd-cannon", "srumma", "2.5d", "carma", "cosma", "stationary-a",
                   "stationary-b"]
VERSION = 8  # of files of parameters
PRODUCT = ["mm", "--m", "4096", "--n", "4096", "--k", "4096", "--ranks", "64"]


class ModelTest(CommandTest):
    subcommand = ("model",)
    seconds = 120


class Usage(ModelTest):
    def test_what(self):
        self.refuse([], "mm", "figure", *COLLECTIVES)
        self.refuse(["frobnicate"], "frobnicate", *COLLECTIVES)
        self.refuse(["barrier"], "barrier", *COLLECTIVES)

    def test_parameters(self):
        self.refuse(["broadcast", "--parameters", "abacus"], "--parameters", "abacus", "bgp", "exascale")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{\n  "version": 8,\n  "hosts": [],\n  "cables": [],\n  "bandwidth": -3\n}\n')
            file.flush()
            self.refuse(["broadcast", "--parameters", file.name], "--parameters", file.name + ":5: ", "bandwidth")

    def test_parameters_that_no_machine_has(self):
        for alpha, beta in ((1e6, 1e-10), (1e-6, 2), (-1e-6, 1e-10)):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write('{"version": 8, "hosts": [], "cables": [],\n "between_nodes":\n'
                           f'{{"alpha_seconds": {alpha}, "beta_seconds_per_byte": {beta}}}}}')
                file.flush()
                self.refuse(["broadcast", "--parameters", file.name], "--parameters", file.name + ":3: ", "expected")

    def test_network(self):
        self.refuse(["broadcast", "--network", "doughnut:8"], "--network doughnut:8")
        self.refuse(["broadcast", "--network", "tours:8"], "--network tours:8", "did you mean torus?")
        self.refuse(["broadcast", "--network", "torus:1"], "--network torus:1", "2 nodes")
        self.refuse(["broadcast", "--network", "torus:4x4@100mbit/0"], "--network torus:4x4@100mbit/0", "axis 1")
        self.refuse(["broadcast", "--parameters", "grid5000"], "--network", "torus:8x8x8")

    def test_size_and_algorithm(self):
        self.refuse(["broadcast", "--size", "many"], "--size many")
        self.refuse(["broadcast", "--network", "torus:4x4", "--algorithm", "bush"], "--algorithm bush", "rectangular")

    def test_network_of_a_product(self):
        product = PRODUCT[:-2]
        self.refuse([*product, "--network", "torus:0"], "--network")
        self.refuse([*product, "--network", "torus:128x128x128"], "--network torus:128x128x128", "1048576 nodes")
        self.refuse([*PRODUCT, "--network", "torus:4x4"], "--ranks 64", "16 nodes")
        self.refuse([*product, "--network", "torus:4x4", "--lines", "zigzag"], "--lines zigzag", "rectangular", "mpi")
        self.refuse([*product, "--ranks", 16, "--lines", "mpi"], "--lines mpi", "--network")
        self.refuse([*PRODUCT, "--joules-per-byte", -1], "--joules-per-byte -1")
        self.refuse(["lu", "--n", 1000, "--ranks", 9, "--network", "torus:4x4"], "--ranks 9", "16 nodes")
        daint = [*product, "--parameters", "piz-daint"]
        self.refuse([*daint, "--ranks", 65269, "--ranks-per-node", 36], "--ranks 65269", "1813 nodes", "65268")
        self.refuse([*daint, "--ranks", 64, "--ranks-per-node", 37], "--ranks-per-node 37", "36 cores")
        self.refuse([*daint, "--ranks", 64, "--algorithm", "summa", "--layers", 2], "--layers 2", "no effect on summa")
        self.refuse(["lu", "--n", 1000, "--network", "torus:4x4", "--lines", "zigzag"], "--lines zigzag", "binomial")

    def test_product(self):
        self.refuse(["mm", "--m", 3, "--n", 3, "--ranks", 4], "--k")
        for extent in (0, -1, 1 << 42):
            self.refuse(["mm", "--m", extent, "--n", 3, "--k", 3, "--ranks", 4], f"--m {extent}", "give 1 to")
        self.refuse([*PRODUCT[:-1], 0], "--ranks 0")
        self.refuse(PRODUCT[:-2], "--ranks is missing")
        self.refuse(["lu", "--n", 1000], "--ranks is missing")
        self.refuse([*PRODUCT, "--memory-limit", "4"], "--memory-limit 4")
        self.refuse([*PRODUCT[:2], -1, *PRODUCT[3:]], "--m -1")
        self.refuse([*PRODUCT, "--overlap", 1.5], "--overlap", "0 to 1")
        self.refuse([*PRODUCT, "--broadcast", "chain"], "--broadcast", "binomial", "van-de-geijn")
        self.refuse([*PRODUCT, "--panel", 0], "--panel", "at least 1")
        self.refuse([*PRODUCT, "--algorithm", "summer"], "summer", "summa", "all")
        self.refuse([*PRODUCT, "--type", "quad"], "--type quad")
        self.refuse([*PRODUCT, "--memory-limit", "much"], "--memory-limit much")
        self.refuse([*PRODUCT, "--flops", -1], "--flops -1")

    def test_figure(self):
        self.refuse(["figure"], "list")
        self.refuse(["figure", "rectangular-fig1"], "rectangular-fig1", "list")


class ThisMachine(ModelTest):
    """The parameters that `bench --calibrate` has left in the user's cache."""

    def setUp(self):
        self.cache = tempfile.TemporaryDirectory()
        self.addCleanup(self.cache.cleanup)
        self.environment = {"XDG_CACHE_HOME": self.cache.name, "CUBOID_PARAMETERS": ""}

    def write(self, name, host, alpha, written):
        os.makedirs(os.path.join(self.cache.name, "cuboid"), exist_ok=True)
        path = os.path.join(self.cache.name, "cuboid", f"parameters-{name}.json")
        messages = {"alpha_seconds": alpha, "beta_seconds_per_byte": 1e-9} if alpha else None
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": VERSION, "hosts": [{"name": host, "ranks": 2}], "cables": [],
                       **({"within_node": messages} if messages else {})}, file)
        os.utime(path, (written, written))
        return path

    def test_the_newest_file_of_this_host_is_used(self):
        here = socket.gethostname()
        self.write("old", here, 1e-6, 1000)
        newest = self.write("new", here, 2e-6, 2000)
        self.write("other", "another" + here, 3e-6, 3000)
        for arguments in (["broadcast", "--network", "torus:4"], PRODUCT, ["lu", "--n", 4096, "--ranks", 16],
                          ["cholesky", "--n", 4096, "--ranks", 16], ["qr", "--n", 4096, "--ranks", 16]):
            self.assertEqual(self.result(*arguments, environment=self.environment)["parameters"], newest)
            made = self.result(*arguments, environment=self.environment)["provenance"]
            self.assertEqual(made["parameters"], newest)
            self.assertGreater(made["ranks"], 1)
            text = " ".join(self.succeed(*arguments, environment=self.environment).stdout.split())
            self.assertIn(f"{newest} (measured within {here}, 2 ranks)", text)
        for other in ("bgp", "exascale"):
            self.assertEqual(self.result(*PRODUCT, "--parameters", other, environment=self.environment)["parameters"], other)
        none = {**self.environment, "CUBOID_PARAMETERS": "none"}
        self.assertEqual(self.result(*PRODUCT, environment=none)["parameters"], "bgp")
        named = {**self.environment, "CUBOID_PARAMETERS": self.write("named", "a", 1e-6, 1)}
        self.assertEqual(self.result(*PRODUCT, environment=named)["parameters"], named["CUBOID_PARAMETERS"])

    def test_without_one_the_machine_is_a_papers(self):
        self.assertEqual(self.result(*PRODUCT, environment=self.environment)["parameters"], "bgp")
        self.write("other", "another" + socket.gethostname(), 3e-6, 3000)
        self.assertEqual(self.result(*PRODUCT, environment=self.environment)["parameters"], "bgp")
        self.assertEqual(self.result("lu", "--n", 4096, "--ranks", 16, environment=self.environment)["parameters"],
                         "exascale")

    def test_a_file_that_lacks_what_a_model_needs(self):
        path = self.write("empty", socket.gethostname(), None, 1000)
        self.refuse(PRODUCT, path, "neither", "calibrate", environment=self.environment)
        path = self.write("within", socket.gethostname(), 1e-6, 2000)
        self.refuse(["broadcast"], path, "--network", "--parameters bgp", environment=self.environment)

    def test_a_file_that_cannot_be_read_is_left_out(self):
        path = self.write("junk", socket.gethostname(), 1e-6, 1000)
        with open(path, "w", encoding="utf-8") as file:
            file.write("junk")
        run = self.succeed(*PRODUCT, "--json", environment=self.environment)
        self.assertEqual(json.loads(run.stdout)["parameters"], "bgp")
        self.assertIn(f"{path}:1", run.stderr)
        self.assertIn("ignored", run.stderr)


class Collectives(ModelTest):
    def test_every_one(self):
        for collective in COLLECTIVES:
            result = self.result(collective, "--network", "torus:4x4", "--size", "1M", "--algorithm", "all")
            self.assertEqual(result["ranks"], 16)
            self.assertGreater(result["results"][0]["bound_bytes_per_second"], 0)
            self.assertGreater(len(result["results"]), 0, collective)
            for row in result["results"]:
                self.assertGreater(row["seconds"], 0, collective)
                if row["source"] == "engine":
                    self.assertLessEqual(row["fraction_of_bound"], 1, row)

    def test_adding_up_costs_what_memory_does(self):
        network = ["--network", "torus:4x4@100mbit", "--size", "16M"]
        broadcast = self.result("broadcast", *network)["results"][0]
        reduce = self.result("reduce", *network)["results"][0]
        self.assertIn("rectangular", reduce["algorithm"])
        self.assertLess(reduce["seconds"], 1.05 * broadcast["seconds"])

    def test_links_that_an_all_to_all_shares(self):
        # One side of 32 and of 33 nodes: simulated block by block, and by what crosses the middle.
        seconds = [self.result("alltoall", "--network", f"ring:{ranks}", "--size", "1M")["results"][0]["seconds"]
                   for ranks in (32, 33)]
        self.assertAlmostEqual(seconds[1] / seconds[0], 33 / 32, delta=0.02)

    def test_what_a_node_sends_at_most(self):
        # 6 links of 10.2 GB/s each, 10.2 GB/s out of a node.
        for operation in ("broadcast", "allreduce", "alltoall"):
            for network in ("torus:3x3x3", "torus:8x8x8"):
                result = self.result(operation, "--network", network, "--parameters", "piz-daint", "--size", "64M")
                row = result["results"][0]
                self.assertGreater(row["seconds"], 0.95 * (64 << 20) / 10.2e9 * (1.9 if operation == "allreduce" else 1))
                self.assertLessEqual(row["bound_bytes_per_second"], 10.2e9 * 27 / 26)

    def test_equation_six(self):
        rows = self.result("broadcast", "--network", "torus:8x8x8", "--size", "6M")["results"]
        row = next(row for row in rows if row["source"] == "Solomonik et al. 2011, eq 6")
        # m/6 over a link, 2(d + 1)·o + 3L, 24 hops of 2o + L
        self.assertAlmostEqual(row["seconds"], (1 << 20) / 375e6 + 8 * 0.4e-6 + 2.4e-6 + 24 * 1.6e-6, places=12)

    def test_rates_of_the_network_go_first(self):
        slow = self.result("broadcast", "--network", "torus:4x4@100mbit", "--size", "16M")
        self.assertAlmostEqual(slow["results"][0]["bound_bytes_per_second"], 4 * 12.5e6, delta=1)

    def test_short_messages_have_a_byte_for_each_rank(self):
        rows = self.result("allgather", "--network", "torus:8x8", "--size", "16:128")["results"]
        self.assertEqual([row["bytes"] for row in rows], [64, 128])

    def test_simulated(self):
        for collective in COLLECTIVES:
            rows = self.result(collective, "--network", "torus:4x4", "--size", "1M", "--simulate")["results"]
            for row in rows:
                self.assertGreater(row["simulated_seconds"], 0, row)
        for row in self.result("broadcast", "--network", "torus:4x4", "--size", "1M")["results"]:
            self.assertIsNone(row["simulated_seconds"])
        self.assertIn("simulated us", self.run_command("broadcast", "--size", "1M", "--network", "mesh:3",
                                                     "--simulate").stdout)

    def test_a_large_torus(self):
        result = self.result("broadcast", "--network", "torus:16x16x16", "--size", "16M", "--simulate",
                            "--algorithm", "rectangular")
        self.assertAlmostEqual(result["results"][0]["bound_bytes_per_second"], 6 * 375e6, delta=1)
        rows = [row for row in result["results"] if row["algorithm"].startswith("rectangular")]
        self.assertEqual(len(rows), 2)
        for row in rows:  # the bandwidth of all links, and the depth of the trees
            self.assertGreater(row["simulated_seconds"], (16 << 20) / (6 * 375e6))
            self.assertLess(row["simulated_seconds"], 1.3 * (16 << 20) / (6 * 375e6))

    def test_progress_and_interrupted(self):
        # All sizes together are simulated for minutes.
        command = [CUBOID, "model", "allreduce", "--network", "torus:10x10x10", "--parameters", "bgp", "--size", "1K:64K",
                   "--algorithm", "all", "--simulate"]
        for flags in ([], ["--json"]):
            with tempfile.TemporaryFile("w+") as errors:
                with subprocess.Popen([*command, *flags], stdout=subprocess.PIPE, stderr=errors, text=True,
                                      env={**os.environ, "CUBOID_PROGRESS_BAR": "on"}) as process:
                    text = interrupted_when(process, lambda: "2048 bytes, " in written_to(errors), self.seconds)
            if flags:
                result = json.loads(text)
                self.assertTrue(result["interrupted"])
                self.assertGreater(len(result["results"]), 2)
            else:
                self.assertTrue(text.endswith("\ninterrupted\n"), text)
                self.assertIn("simulated us", text)

    def test_table(self):
        run = self.run_command("broadcast", "--size", "1M", "--network", "mesh:3")
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn("of bound", run.stdout)


class Multiplications(ModelTest):
    def test_all(self):
        result = self.result(*PRODUCT)
        self.assertEqual({one["algorithm"] for one in result["candidates"]}, set(MULTIPLICATIONS))
        seconds = [one["seconds"] for one in result["candidates"]]
        self.assertLessEqual(seconds[0], min(seconds) * 1.03)  # of those as good, the leanest
        self.assertGreater(result["lower_bound_words"], 0)

    def test_a_choice_that_is_not_the_fastest_has_a_reason(self):
        for extent in (4096, 8192, 65536):
            product = ["mm", "--m", extent, "--n", extent, "--k", extent, "--ranks", 64]
            candidates = [one for one in self.result(*product)["candidates"] if one["fits"]]
            fastest = min(one["seconds"] for one in candidates)
            told = "needs the least memory" in " ".join(self.succeed(*product).stdout.split())
            self.assertEqual(told, candidates[0]["seconds"] > fastest, extent)

    def test_one(self):
        result = self.result(*PRODUCT, "--algorithm", "cannon")
        self.assertEqual([one["algorithm"] for one in result["candidates"]], ["cannon"])

    def test_without_a_flop_rate(self):
        run = self.run_command(*PRODUCT, "--parameters", "grid5000")
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertIn("--flops", run.stdout)
        model = self.result(*PRODUCT, "--parameters", "grid5000")
        self.assertIsNone(model["flops_per_second"])
        self.assertEqual({one["compute_seconds"] for one in model["candidates"]}, {None})
        self.assertGreater(self.result(*PRODUCT, "--parameters", "grid5000", "--flops", "1e10")["flops_per_second"], 0)

    def test_memory_is_respected(self):
        result = self.result(*PRODUCT, "--memory-limit", "8M")
        self.assertEqual(result["memory_bytes"], 8 << 20)
        for candidate in result["candidates"]:
            self.assertEqual(candidate["fits"], candidate["memory_bytes"] <= 8 << 20)


    def test_on_a_torus_by_lines(self):
        result = self.result(*PRODUCT[:-2], "--network", "torus:4x4x4")
        self.assertEqual((result["ranks"], result["network"]), (64, "torus:4x4x4"))
        rows = {(row["layers"], row["lines"]): row for row in result["lines"]}
        self.assertEqual(set(rows), {(layers, lines) for layers in (1, 2, 4) for lines in ("rectangular", "binomial", "mpi")})
        for layers in (1, 2, 4):
            self.assertLess(rows[layers, "rectangular"]["seconds"], rows[layers, "binomial"]["seconds"])
        # Layers alone gain less than layers whose lines are lines of the torus.
        self.assertLess(rows[4, "rectangular"]["communicate_seconds"], rows[1, "binomial"]["communicate_seconds"])
        only = self.result(*PRODUCT[:-2], "--network", "torus:4x4x4", "--lines", "mpi")["lines"]
        self.assertEqual({row["lines"] for row in only}, {"mpi"})

    def test_on_a_quarter_of_a_million_nodes(self):
        result = self.result("mm", "--m", 65536, "--n", 65536, "--k", 65536, "--network", "torus:64x64x64")
        rows = {(row["layers"], row["lines"]): row for row in result["lines"]}
        self.assertLess(rows[64, "rectangular"]["seconds"], rows[1, "binomial"]["seconds"])
        self.assertGreater(len(result["candidates"]), 5)

    def test_groups_gain_what_their_paper_says(self):
        paper = ["mm", "--m", 4194304, "--n", 4194304, "--k", 4194304, "--ranks", 1048576, "--parameters",
                 "exascale-hsumma", "--overlap", 0, "--flops", "1e30", "--panel", 256, "--word-bytes", 1,
                 "--broadcast", "van-de-geijn"]
        seconds = [self.result(*paper, "--algorithm", *algorithm)["candidates"][0]["seconds"]
                   for algorithm in (["summa"], ["hsumma", "--outer-panel", 256])]
        self.assertAlmostEqual(seconds[0] / seconds[1], 7.01, delta=0.01)

    def test_energy(self):
        self.assertNotIn("joules", self.result(*PRODUCT)["candidates"][0])
        result = self.result(*PRODUCT, "--joules-per-byte", "1e-10", "--joules-per-flop", "1e-11")
        for one in result["candidates"]:
            bytes_received = 64 * 8 * one["words_max"]
            self.assertGreaterEqual(one["joules"], 0.999 * (1e-10 * bytes_received + 1e-11 * 2 * 4096**3), one)
        self.assertIn("joules", self.succeed(*PRODUCT, "--joules-per-flop", "1e-11").stdout)


class Lu(ModelTest):
    def test_on_a_torus_by_lines(self):
        result = self.result("lu", "--n", 65536, "--network", "torus:8x8x4", "--parameters", "bgp", "--layers", 4)
        rows = {row["lines"]: row for row in result["results"]}
        self.assertEqual((result["ranks"], set(rows)), (256, {"rectangular", "binomial", "mpi"}))
        self.assertLess(rows["rectangular"]["scheduled_seconds"], rows["binomial"]["scheduled_seconds"])
        self.assertLess(rows["rectangular"]["seconds"], rows["mpi"]["seconds"])
        self.assertLess(rows["rectangular"]["scheduled_seconds"], rows["mpi"]["scheduled_seconds"])
        self.assertIsNone(self.result("lu", "--n", 65536, "--ranks", 256)["results"][0]["scheduled_seconds"])

    def test_layers(self):
        result = self.result("lu", "--n", 1 << 22, "--ranks", 1 << 18)
        rows = {(row["layers"], row["lines"]): row for row in result["results"]}
        self.assertEqual({layers for layers, _ in rows}, {1, 2, 4, 8, 16, 32, 64})
        self.assertLess(rows[64, "rectangular"]["seconds"], rows[1, "binomial"]["seconds"])
        for row in result["results"]:
            steps = sum(row[step + "_seconds"] for step in ("diagonal", "to_layers", "panels", "schur"))
            self.assertAlmostEqual(row["seconds"] / (steps + result["compute_seconds"]), 1, places=9)

    def test_usage(self):
        self.refuse(["lu", "--ranks", 4], "--n")
        self.refuse(["lu", "--n", 100, "--ranks", 0], "--ranks 0")
        self.refuse(["lu", "--n", 100, "--ranks", 8, "--layers", 3], "--layers 3", "1 to 2")
        self.refuse(["lu", "--n", 100, "--ranks", 8, "--flops", 0], "--flops 0")


class Cholesky(ModelTest):
    def test_predictions(self):
        result = self.result("cholesky", "--n", 32768, "--ranks", 64, "--parameters", "bgp", "--flops", 1e10)
        seconds = [row["seconds"] for row in result["results"]]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual({row["grid"][2] for row in result["results"]}, {1, 2, 3, 4})
        self.assertGreater(result["bound_words"], 0)
        for row in result["results"]:
            self.assertAlmostEqual(row["words"], sum(step["words"] for step in row["steps"].values()), places=6)
            self.assertGreater(row["words"], result["bound_words"])
        self.assertIn("lower bound", self.succeed("cholesky", "--n", 8192, "--network", "torus:4x4x4").stdout)

    def test_flags_restrict_the_plans(self):
        for row in self.result("cholesky", "--n", 8192, "--ranks", 64, "--layers", 4, "--block", 64)["results"]:
            self.assertEqual((row["grid"][2], row["block"]), (4, 64))

    def test_alone(self):
        result = self.result("cholesky", "--n", 1000, "--ranks", 1)
        self.assertEqual((result["bound_words"], result["results"][0]["words"]), (0, 0))

    def test_usage(self):
        self.refuse(["cholesky", "--ranks", 4], "--n")
        self.refuse(["cholesky", "--n", 0, "--ranks", 4], "--n 0")
        self.refuse(["cholesky", "--n", 100, "--ranks", 4, "--block", 0], "block 0")
        self.refuse(["cholesky", "--n", 100, "--ranks", 8, "--layers", 9], "9 layers")
        self.refuse(["cholesky", "--n", 100, "--ranks", 8, "--flops", 0], "--flops 0")


class Qr(ModelTest):
    def test_predictions(self):
        result = self.result("qr", "--m", 1 << 20, "--n", 64, "--ranks", 16, "--parameters", "bgp", "--flops", 1e9)
        self.assertEqual(result["results"][0]["grid"], [16, 1])
        seconds = [row["seconds"] for row in result["results"]]
        self.assertEqual(seconds, sorted(seconds))
        for row in self.result("qr", "--n", 8192, "--ranks", 64)["results"]:
            self.assertAlmostEqual(row["words"], sum(step["words"] for step in row["steps"].values()), places=6)
            self.assertGreater(row["words"], result["bound_words"])
        self.assertIn("lower bound", self.succeed("qr", "--n", 8192, "--network", "torus:4x4x4").stdout)

    def test_large(self):
        self.assertEqual(self.result("qr", "--n", 1 << 22, "--ranks", 1 << 18)["ranks"], 1 << 18)

    def test_usage(self):
        self.refuse(["qr", "--ranks", 4], "--n")
        self.refuse(["qr", "--n", 100, "--ranks", 4, "--block", 0], "block 0")
        self.refuse(["qr", "--n", 100, "--ranks", 8, "--flops", 0], "--flops 0")


class Figures(ModelTest):
    def test_every_one(self):
        names = [figure["name"] for figure in self.result("figure", "list")["figures"]]
        self.assertGreater(len(names), 12)
        agree, explained, not_understood = 0, 0, 0
        for name in names:
            figure = self.result("figure", name)
            self.assertGreater(len(figure["comparisons"]), 0, name)
            for one in figure["comparisons"]:
                if one["difference"] is not None and abs(one["difference"]) > 0.05:
                    self.assertNotEqual(one["why"], "", one)
                if one["paper"] is not None:
                    agree += one["why"] == ""
                    not_understood += one["why"] == "differs, not understood"
                    explained += one["why"] not in ("", "differs, not understood")
            run = self.run_command("figure", name)
            self.assertEqual(run.returncode, DONE, run.stderr)
        with open(os.path.join(os.path.dirname(__file__), "../../docs/models.md"), encoding="utf-8") as file:
            page = " ".join(file.read().split())
        self.assertIn(f"Of {agree + explained + not_understood} numbers {agree} agree, {explained} are explained, "
                      f"{not_understood} are not understood.", page)

    def test_exascale_as_the_paper_has_it(self):
        for one in self.result("figure", "rectangular-fig13a")["comparisons"]:
            self.assertLess(abs(one["difference"]), 0.05, one)

    def test_a_folder_for_temporary_files_runs_no_commands(self):
        with tempfile.TemporaryDirectory() as directory:
            odd = os.path.join(directory, "a'; touch caught; 'b")
            os.mkdir(odd)
            path = os.path.join(directory, "a.svg")
            run = self.run_command("figure", "rectangular-fig9", "--svg", path, environment={"TMPDIR": odd})
            self.assertEqual(run.returncode, DONE, run.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())
            self.assertFalse(os.path.exists("caught"))

    def test_drawn(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("no gnuplot")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "it's a figure.svg")
            for arguments in (["figure", "rectangular-fig9"], ["broadcast", "--network", "torus:4x4"], PRODUCT):
                run = self.run_command(*arguments, "--svg", path)
                self.assertEqual(run.returncode, DONE, run.stderr)
                self.assertTrue(xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"))
                os.remove(path)

    def test_tables_fit_a_page(self):
        for arguments in (["broadcast", "--network", "torus:4x4", "--algorithm", "all"],
                          [*PRODUCT, "--joules-per-flop", "1e-11"],
                          ["mm", "--m", "100000", "--n", "100000", "--k", "100000", "--network", "torus:8x8x8"],
                          ["lu", "--n", "65536", "--ranks", "64"], ["figure", "list"], ["figure", "cosma-volumes"],
                          ["figure", "sd-cannon-cost"], ["figure", "hsumma-grid5000"]):
            for line in self.succeed(*arguments).stdout.splitlines():
                self.assertLessEqual(len(line), 80, f"{arguments}: {line}")

    def test_products_are_sorted_and_the_choice_is_marked(self):
        arguments = ["mm", "--m", "4096", "--n", "4096", "--k", "4096", "--network", "torus:4x4"]
        table = self.succeed(*arguments).stdout.split("algorithm")[1].splitlines()[1:11]
        seconds = [float(line.split()[-3]) for line in table]
        self.assertEqual(seconds, sorted(seconds))
        chosen = [line for line in table if line.startswith("* ")]
        self.assertEqual(len(chosen), 1)
        self.assertEqual(chosen[0].split()[1], self.result(*arguments)["candidates"][0]["algorithm"])

    def test_not_drawn(self):
        run = self.run_command("figure", "rectangular-fig9", "--svg", "/no/such/place.svg")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn("/no/such/place.svg", run.stderr)
        with tempfile.TemporaryDirectory() as directory:
            run = self.run_command("figure", "rectangular-fig9", "--svg", os.path.join(directory, "a.svg"),
                                 environment={"PATH": directory})
            self.assertEqual(run.returncode, FAILED)
            self.assertIn("gnuplot-nox", run.stderr)


if __name__ == "__main__":
    unittest.main()
