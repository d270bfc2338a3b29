"""`cuboid experiment` as a person or a script meets it: messages, exit codes, files, what is not run twice.

Usage: experiment_test.py CUBOID [unittest options]
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CUBOID, CommandTest, DONE, FAILED, USAGE, launcher, without_comments, interrupted_when

SMALL = ["--memory-limit", "256K", "--repeat", "1", "--ranks", "1,2"]


class ExperimentTest(CommandTest):
    subcommand = ("experiment",)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "results")

    def file(self, name):
        return os.path.join(self.folder, name)


class Usage(ExperimentTest):
    def test_names(self):
        self.refuse([], "list")
        self.refuse(["cosma-fig99"], "cosma-fig99", "list")
        names = [one["name"] for one in self.result("list")["experiments"]]
        self.assertIn("cosma-fig12", names)
        for name in names:
            self.assertIn(name, self.succeed("list").stdout)
        for line in self.succeed("list").stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_scale(self):
        self.refuse(["cosma-fig8", "--ranks", "many"], "--ranks many")
        self.refuse(["cosma-fig8", "--ranks", "2,0"], "--ranks 2,0")
        self.refuse(["cosma-fig8", "--memory-limit", "much"], "--memory-limit much")
        self.refuse(["cosma-fig8", "--repeat", "0"], "--repeat 0")
        self.refuse(["cosma-fig8", "--limit", "0"], "--limit 0")
        self.refuse(["cosma-fig8", "--parameters", "abacus"], "--parameters", "abacus", "piz-daint")
        self.refuse(["srumma-fig9", "--model"], "--model", "srumma-fig9")
        self.refuse(["cosma-fig8", "--model", "--ranks", "4"], "--ranks 4", "--model")
        self.refuse(["cosma-fig8", "--model", "--parameters", "piz-daint"], "--parameters piz-daint", "--model")
        self.refuse(["cosma-fig8", "--model", "--launch", "mpirun -n {ranks}"], "--launch", "--model")
        # One line for all its runs, before any begins.
        self.refuse(["cosma-fig8", "--ranks", "4,10000000", "-o", self.folder], "--ranks 10000000", "give fewer")
        self.assertFalse(os.path.exists(self.folder))

    def test_launcher(self):
        self.refuse(["cosma-fig8", "--launch", "mpirun -n 4", "--ranks", "4"], "--launch mpirun -n 4", "{ranks}")
        self.refuse(["cosma-fig8", "--launch", "mpirun -n {ranks}"], "--ranks")
        run = self.run_command("cosma-fig8", launch=launcher(2))
        self.assertEqual(run.returncode, USAGE)
        self.assertEqual(run.stderr.count("cuboid: error: "), 1, run.stderr)
        self.assertIn("--launch", run.stderr)

    def test_folder(self):
        with tempfile.NamedTemporaryFile() as file:
            self.refuse(["cosma-fig8", "-o", file.name], "--output " + file.name)


class Runs(ExperimentTest):
    def test_what_has_run_is_not_run_again(self):
        first = self.result("cosma-fig6", *SMALL, "-o", self.folder)
        with open(self.file("runs.jsonl"), encoding="utf-8") as file:
            runs = file.read()
        again = self.result("cosma-fig6", *SMALL, "-o", self.folder)
        for made in (first, again):
            del made["provenance"]["date"]
        self.assertEqual(again, first)
        # The same runs, another figure.
        self.result("cosma-fig9", *SMALL, "-o", self.folder)
        with open(self.file("runs.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), runs)

    def test_goes_on_where_it_was_killed(self):
        command = [CUBOID, "experiment", "cosma-fig6", *SMALL, "-o", self.folder]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            until = time.monotonic() + self.seconds
            while not os.path.exists(self.file("runs.jsonl")) and process.poll() is None and time.monotonic() < until:
                time.sleep(0.01)
            process.kill()
        with open(self.file("runs.jsonl"), "rb") as file:
            kept = file.read()
        self.assertGreater(len(kept), 0)
        rows = self.result("cosma-fig6", *SMALL, "-o", self.folder)["rows"]
        self.assertTrue(all(row["measured"]["seconds"] for row in rows if row["error"] is None))
        with open(self.file("runs.jsonl"), "rb") as file:
            self.assertTrue(file.read().startswith(kept))

    def test_interrupted_prints_its_rows(self):
        command = [CUBOID, "experiment", "cosma-fig6", *SMALL, "-o", self.folder, "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            def two_runs():
                try:
                    with open(self.file("runs.jsonl"), encoding="utf-8") as file:
                        return file.read().count("\n") >= 2
                except FileNotFoundError:
                    return False
            result = json.loads(interrupted_when(process, two_runs, self.seconds))
        self.assertTrue(result["interrupted"])
        self.assertGreater(len(result["rows"]), 0)

    def test_distributions_of_one_number_of_ranks(self):
        self.succeed("cosma-fig13", "--memory-limit", "64K", "--repeat", 1, "--ranks", 1, "-o", self.folder)
        drawing = xml.etree.ElementTree.parse(self.file("cosma-fig13.svg")).getroot()
        made = drawing.find("{http://www.w3.org/2000/svg}metadata").text
        self.assertIn("command: ", made)
        self.assertEqual(drawing.find("{http://www.w3.org/2000/svg}title").text, "cosma-fig13")

    def test_groups_are_told(self):
        run = self.succeed("hsumma-fig5", "--memory-limit", "1M", "--repeat", 1, "--ranks", 4, "-o", self.folder)
        heads = [line.split() for line in run.stdout.splitlines() if line.split()[:1] == ["ranks"]]
        self.assertTrue(heads)
        for head in heads:  # of each part of the table
            self.assertEqual(head[:3], ["ranks", "size", "groups"])
        for line in run.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_files(self):
        result = self.result("rectangular-fig5b", *SMALL, "-o", self.folder)
        ran = [row for row in result["rows"] if row["error"] is None]
        self.assertGreater(len(ran), 0)
        for row in ran:
            measured = row["measured"]
            parts = measured["compute"] + measured["exchange_shown"] + measured["idle"]
            self.assertGreaterEqual(parts, 0.999 * measured["seconds"], row)
            self.assertGreater(row["modelled"]["seconds"], 0)
        with open(self.file("rectangular-fig5b.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(without_comments(file.read())))
        self.assertEqual(len(rows), len(result["rows"]))
        self.assertEqual([row["command"] for row in rows], [row["command"] for row in result["rows"]])
        with open(self.file("rectangular-fig5b.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file), result)
        xml.etree.ElementTree.parse(self.file("rectangular-fig5b.svg"))

    def test_without_gnuplot_there_is_no_figure(self):
        with tempfile.TemporaryDirectory() as empty:
            run = self.run_command("cosma-fig6", "--memory-limit", "64K", "--repeat", "1", "--ranks", "1", "-o",
                                   self.folder, environment={"PATH": empty})
        self.assertEqual(run.returncode, DONE, run.stderr)
        self.assertEqual(run.stderr.count("gnuplot-nox"), 1, run.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["cosma-fig6.csv", "cosma-fig6.json", "runs.jsonl"])

    def test_factorisations_and_collectives(self):
        for name in "rectangular-fig6", "rectangular-fig1":
            rows = self.result(name, *SMALL, "-o", self.folder)["rows"]
            self.assertTrue(any(row["measured"]["seconds"] for row in rows), name)

    def test_by_a_launcher(self):
        result = self.result("cosma-fig12", "--memory-limit", "64K", "--repeat", "1", "--ranks", "2", "-o", self.folder,
                             "--launch", " ".join(launcher(2)).replace("-n 2", "-n {ranks}"))
        self.assertTrue(all(row["error"] is None and row["ranks"] == 2 for row in result["rows"]), result)

    def test_failures_are_told(self):
        run = self.run_command("cosma-fig12", *SMALL, "-o", self.folder, "--launch", "false {ranks}")
        self.assertEqual(run.returncode, FAILED)
        self.assertIn("not run: false 1 cuboid mm", run.stdout)

    def test_launchers_words_are_told_and_not_their_rules(self):
        stand_in = self.folder + "-launcher"
        with open(stand_in, "w", encoding="utf-8") as file:
            rule = "-" * 74
            file.write(f"#!/bin/sh\nprintf -- '{rule}\\nThere are not enough slots for %s\\nranks.\\n{rule}\\n' $1 >&2\nexit 1\n")
        os.chmod(stand_in, 0o755)
        run = self.run_command("cosma-fig12", *SMALL, "-o", self.folder, "--json", "--launch", stand_in + " {ranks}")
        self.assertEqual(run.returncode, FAILED)
        for row in json.loads(run.stdout)["rows"]:
            self.assertEqual(row["error"], f"There are not enough slots for {row['ranks']}")

    def test_many_failures_are_told_shortly(self):
        run = self.run_command("cosma-fig6", "--memory-limit", "1", "--ranks", "1,2,3,4", "-o", self.folder)
        self.assertEqual(run.returncode, FAILED)
        self.assertEqual(run.stdout.count("not run: "), 5)
        self.assertIn("more reasons", run.stdout)

    def test_programs_that_are_not_there(self):
        self.breaks_off(["cosma-fig12", *SMALL, "-o", self.folder, "--launch", "no-such-launcher {ranks}"],
                        "no-such-launcher", "--launch")


class Predictions(ExperimentTest):
    def test_the_papers_size(self):
        rows = self.result("cosma-rpa", "--model", "-o", self.folder)["rows"]
        largest = [row for row in rows if row["k"] == 3735552]
        self.assertEqual({row["variant"] for row in largest}, {row["variant"] for row in rows})
        for row in largest:
            self.assertEqual(row["m"], 17408)
            # No faster than the flops of 512 nodes of 36 cores at 3.30 GHz, 16 flops a cycle.
            self.assertGreater(row["modelled"]["compute"], 0.999 * 2 * 17408**2 * 3735552 / (512 * 36 * 16 * 3.3e9))
            self.assertGreaterEqual(row["modelled"]["seconds"], row["modelled"]["compute"])
            self.assertIsNone(row["measured"]["seconds"])

    def test_split_dimensions_pay_on_the_papers_torus(self):
        rows = self.result("sd-cannon-fig2", "--model", "-o", self.folder)["rows"]
        seconds = {(row["variant"], row["n"]): row["modelled"]["seconds"] for row in rows}
        gain = max(seconds["Cannon", n] / seconds["SD-Cannon", n] for _, n in seconds)
        self.assertGreater(gain, 1.3)

    def test_as_computed_by_hand(self):
        # Quintin et al. 2013, table II, of n = 65536 on p = 16384 with b = 256: 2·(7 + 2·(√128 − 1)) steps of 256
        # messages of 3 µs, and 8·(1 − 128^-½)·n²/128 elements of 1 ns, with 128 groups; (14 + 2·127)·256 and
        # 4·(1 − 1/128)·n²/128 with one.
        rows = self.result("hsumma-fig8", "--model", "-o", self.folder)["rows"]
        shown = {(row["variant"], row["x"]): row["modelled"]["exchange_shown"] for row in rows}
        self.assertAlmostEqual(shown["SUMMA", 128], 0.20582 + 0.13317, delta=1e-4)
        self.assertAlmostEqual(shown["HSUMMA", 1], shown["SUMMA", 1], delta=1e-9)
        self.assertAlmostEqual(shown["HSUMMA", 128], 0.04244 + 0.24471, delta=1e-3)
        # 2n³/P flops at 13.6 Gflop/s. Solomonik et al. 2011, algorithm 1, on 8 layers of the torus' planes of 8x32: 2n²c/P
        # words replicated, n/8 rows of A and n/32 columns of B in the steps, n²c/P reduced; Cannon's on 32x32 2n²/32,
        # the stagger included.
        rows = self.result("rectangular-fig4a", "--model", "-o", self.folder)["rows"]
        modelled = {(row["variant"], row["ranks"]): row["modelled"] for row in rows}
        self.assertAlmostEqual(modelled["2.5D", 2048]["compute"], 20.2116, delta=1e-3)
        words = 3 * 65536**2 * 8 / 2048 + (65536 / 8 + 65536 / 32) * 65536 / 8
        self.assertEqual(modelled["2.5D", 2048]["bytes_received_max"], 8 * words)
        self.assertEqual(modelled["2D Cannon", 1024]["bytes_received_max"], 8 * 2 * 65536**2 / 32)

    def test_more_as_computed_by_hand(self):
        # CARMA cuts a cube of 16384 on 128 cores into 4x4x8: a rank lacks 3/4 of its faces of A and B and 7/8 of that of
        # C, in 7 messages of 1.3 us. 36 ranks share a card of 10.2 GB/s and have 52.8 Gflop/s each. COSMA takes 5x5x5.
        rows = self.result("cosma-fig9", "--model", "-o", self.folder)["rows"]
        modelled = {row["variant"]: row["modelled"] for row in rows if row["x"] == 128 and "strong" in row["panel"]}
        n = 16384
        received = 8 * (2 * n / 4 * n / 8 * 3 / 4 + n / 4 * n / 4 * 7 / 8)
        seconds = 2 * n**3 / 128 / 52.8e9 + 36 * received / 10.2e9 + 7 * 1.3e-6
        self.assertEqual(modelled["CARMA"]["bytes_received_max"], received)
        self.assertAlmostEqual(modelled["CARMA"]["seconds"], seconds, delta=1e-6 * seconds)
        received = 8 * 3 * (n / 5) ** 2 * 4 / 5
        self.assertAlmostEqual(modelled["COSMA"]["bytes_received_max"], received, delta=1e-3 * received)
        # Blocks of 128x128 on a torus of 8x8: Cannon staggers over at most 3 links (4 hops go half each way) and shifts 7
        # times, each a message of 1.6 us for A and for B over links of 375 MB/s. SD-Cannon's shifts use both directions.
        rows = self.result("sd-cannon-fig2", "--model", "-o", self.folder)["rows"]
        exchange = {row["variant"]: row["modelled"]["exchange_shown"] + row["modelled"]["exchange_hidden"]
                    for row in rows if row["n"] == 1024}
        block = 128 * 128 * 8 / 375e6
        self.assertAlmostEqual(exchange["Cannon"], (3 + 7) * block + 16 * 1.6e-6, delta=1e-8)
        self.assertAlmostEqual(exchange["SD-Cannon"], (3 + 7 / 2) * block + 32 * 1.6e-6, delta=1e-8)
        # 2n^3/3 flops of LU on 16,384 nodes of 13.6 Gflop/s.
        rows = self.result("rectangular-fig6", "--model", "-o", self.folder)["rows"]
        for row in rows:
            flops = 2 / 3 * row["n"] ** 3
            self.assertAlmostEqual(row["modelled"]["compute"], flops / 16384 / 13.6e9, delta=1e-3 * row["modelled"]["compute"])
        # A node of a torus of three dimensions has six links of 375 MB/s; two of a binomial tree's messages share one.
        rows = self.result("rectangular-fig10", "--model", "-o", self.folder)["rows"]
        rate = {row["variant"]: row["modelled"]["bandwidth"] / 1e6 for row in rows if row["x"] == 16 << 20}
        self.assertLess(rate["Cuboid's choice"], 6 * 375)
        self.assertGreater(rate["Cuboid's choice"], 0.95 * 6 * 375)
        self.assertAlmostEqual(rate["binomial"], 375 / 2, delta=1)

    def test_speed_up_over_cannon(self):
        # Solomonik et al. 2011, §3.2.2, prints 8.7 for n = 8192, measured. Cannon's grid is 128x128, as its blocks of 64 are.
        rows = self.result("rectangular-fig5a", "--model", "-o", self.folder)["rows"]
        seconds = {row["variant"]: row["modelled"]["seconds"] for row in rows if row["n"] == 8192}
        self.assertAlmostEqual(seconds["2D Cannon"] / seconds["2.5D"], 8.7, delta=0.5)

    def test_every_experiment_is_predicted(self):
        for one in self.result("list")["experiments"]:
            if one["name"].startswith("srumma"):
                self.refuse([one["name"], "--model"], "--model", one["name"])
        for name in "hsumma-fig6", "rectangular-fig1", "rectangular-fig4b", "rectangular-fig11":
            rows = self.result(name, "--model", "-o", self.folder)["rows"]
            self.assertGreater(len(rows), 1)
            for row in rows:
                self.assertIsNone(row["error"], row)
                self.assertGreater(row["modelled"]["seconds"], 0, row)


if __name__ == "__main__":
    unittest.main()
