"""`cuboid validate` as a person or a script meets it: the report's files, JSON, messages, exit codes.

Usage: validate_test.py CUBOID [unittest options]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

CUBOID = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "cuboid"


def validate(*arguments, environment=None):
    return subprocess.run([CUBOID, "validate", *arguments], capture_output=True, text=True, timeout=240,
                          env={**os.environ, **(environment or {})})


class Usage(unittest.TestCase):
    def test_one_rank_has_nothing_to_predict(self):
        run = validate("--ranks", "1")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--ranks 1", run.stderr)

    def test_says_what_is_missing_without_gnuplot(self):
        with tempfile.TemporaryDirectory() as empty:
            run = validate("--ranks", "2", "--quick", environment={"PATH": empty})
        self.assertEqual(run.returncode, 1)
        self.assertIn("gnuplot", run.stderr)


@unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
class Results(unittest.TestCase):
    def test_writes_a_page_that_needs_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "report.html")
            run = validate("--ranks", "2", "--quick", "--size", "100K", "--json", "--output", page)
            self.assertEqual(run.returncode, 0, run.stderr)
            printed = json.loads(run.stdout)
            with open(page.replace(".html", ".json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), printed)
            with open(page.replace(".html", ".csv"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 1 + len(printed["cases"]))
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(text.count("<svg"), 3)
        self.assertNotIn("href=\"http", text.replace("xlink:href=\"http", ""))
        operations = {case["operation"] for case in printed["cases"]}
        self.assertEqual(operations, {"broadcast", "allreduce", "allgather", "mm"})
        for case in printed["cases"]:
            self.assertGreater(case["predicted_seconds"], 0)
            self.assertGreater(case["measured_seconds"], 0)
        for operation in operations:  # somebody was chosen for every call
            self.assertTrue(any(case["chosen"] for case in printed["cases"] if case["operation"] == operation))


if __name__ == "__main__":
    unittest.main()
