"""`cuboid validate` as a person or a script meets it: the report's files, JSON, messages, exit codes.

Usage: validate_test.py CUBOID [unittest options]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from command import CommandTest, DONE, without_comments, CUBOID, interrupted_when, INTERRUPTED, written_to


class ValidateTest(CommandTest):
    subcommand = ("validate",)


class Usage(ValidateTest):
    def test_one_rank_has_nothing_to_predict(self):
        self.refuse(["--ranks", "1"], "--ranks 1")
        self.refuse(["--ranks", "2", "--output", "report.json"], "--output report.json", ".html")
        self.refuse(["--ranks", "2", "--operations", "svd"], "--operations svd", "cholesky", "qr")
        self.refuse(["--ranks", "2", "--output", "/dev/stdout"], "/dev/stdout", "standard output")

    def test_without_gnuplot_the_page_has_no_plots(self):
        with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "report.html")
            run = self.run_command("--ranks", "2", "--quick", "--size", "100K", "--operations", "broadcast",
                                   "--output", page, environment={"PATH": empty})
            self.assertEqual(run.returncode, DONE, run.stderr)
            self.assertEqual(run.stderr.count("gnuplot-nox"), 1, run.stderr)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(os.path.exists(page.replace(".html", ".json")))
        self.assertIn("All cases", text)
        self.assertNotIn("<svg", text)


class Interrupted(ValidateTest):
    def test_writes_what_it_has_measured(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as errors:
            page = os.path.join(folder, "report.html")
            # Hundreds of cases, most of which are not measured.
            command = [CUBOID, "validate", "--ranks", "2", "--json", "--output", page]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True,
                                  env={**os.environ, "CUBOID_PROGRESS_BAR": "on"}) as process:
                def some_are_measured():
                    return re.search(r"\] ([3-9]|\d\d+)/", written_to(errors))
                printed = json.loads(interrupted_when(process, some_are_measured, self.seconds))
                self.assertEqual(process.returncode, INTERRUPTED)
            self.assertTrue(printed["interrupted"])
            self.assertGreater(len(printed["cases"]), 0)
            with open(page.replace(".html", ".json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), printed)
            with open(page, encoding="utf-8") as file:
                self.assertIn(", interrupted</h1>", file.read())
            with open(page.replace(".html", ".csv"), encoding="utf-8") as file:
                self.assertIn("# interrupted\n", file.read())


@unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
class Results(ValidateTest):
    def test_writes_a_page_that_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "report.html")
            printed = self.result("--ranks", "2", "--quick", "--size", "100K", "--output", page)
            with open(page.replace(".html", ".json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), printed)
            with open(page.replace(".html", ".csv"), encoding="utf-8") as file:
                lines = file.readlines()
            self.assertEqual(len(without_comments("".join(lines))), 1 + len(printed["cases"]))
            self.assertIn("# ranks: 2\n", lines)
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(text.count("<svg"), 3)
        self.assertNotIn("<title>Gnuplot", text)
        self.assertEqual(text.count("<metadata>\ncuboid: "), 3)
        footer = text[text.index("<footer>"):]
        for line in ("cuboid: ", "host: ", "date: ", "command: ", "ranks: 2", "network: one node", "mpi: "):
            self.assertIn("\n" + line, "\n" + footer.replace("<footer><pre>", ""))
        self.assertNotIn("href=\"http", text.replace("xlink:href=\"http", ""))
        operations = {case["operation"] for case in printed["cases"]}
        factorisations = {"lu", "lu-unpivoted", "cholesky", "qr", "qr-tall"}
        self.assertEqual(operations, {"broadcast", "allreduce", "allgather", "mm"} | factorisations)
        for case in printed["cases"]:
            if case["operation"] in factorisations:
                self.assertLess(case["sent_words"], 1.1 * case["predicted_words"] + 100, case)
                self.assertGreater(case["sent_words"], 0.5 * case["predicted_words"], case)
            else:
                self.assertIsNone(case["sent_words"], case)
            self.assertGreater(case["predicted_seconds"], 0)
            self.assertGreater(case["measured_seconds"], 0)
        for operation in operations:  # somebody was chosen for every call
            self.assertTrue(any(case["chosen"] for case in printed["cases"] if case["operation"] == operation))


if __name__ == "__main__":
    unittest.main()
