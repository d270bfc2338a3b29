#!/usr/bin/env python3
"""Does bench/claims find the claims of a page, run their commands again, and say which fall short?"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = "| network | operation | machine | of cables ↑ | s ↓ |\n|---|---|---|---|---|\n"
ROW = "| torus:4x4 | broadcast | a Xeon | 98.8% (98.5 to 99.1%) | 0.34 (0.33 to 0.36) |\n"

# Prints another number in each of its runs, which it counts in a file.
COMMAND = r"""
import sys
from pathlib import Path
count = Path(sys.argv[0]).with_suffix(".runs")
run = int(count.read_text()) if count.exists() else 0
count.write_text(str(run + 1))
print("measuring")
print("| network | operation | of cables | s |\n|---|---|---|---|")
print("| torus:4x4 | reduce | 11.0% | 9.00 |")
print(f"| torus:4x4 | broadcast | {[98.4, 98.9, 99.3][run % 3]}% (≥ 96.0%) | {[0.35, 0.39, 0.37][run % 3]:.2f} |")
"""


class ClaimsTest(unittest.TestCase):
    """Pages in a folder of their own, whose command stands beside them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page, self.command = Path(folder.name) / "page.md", Path(folder.name) / "measure.py"
        self.command.write_text(COMMAND)

    def claims(self, text, *flags):
        self.page.write_text(text.replace("MEASURE", f"{sys.executable} {self.command}"))
        return subprocess.run([ROOT / "bench" / "claims", self.page, *flags], capture_output=True, text=True, check=False)

    def test_says_what_holds_and_what_falls_short(self):
        done = self.claims(f"# Page\n\n    MEASURE 1  # a remark\n\nOn a Xeon:\n\n{HEAD}{ROW}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("| torus:4x4, broadcast, a Xeon: of cables | 98.8% (98.5 to 99.1%) | 98.9% (98.4 to 99.3%) | holds |",
                      done.stdout)
        self.assertIn(": s | 0.34 (0.33 to 0.36) | 0.37 (0.35 to 0.39) | falls short |", done.stdout)

    def test_better_than_the_spread_holds(self):
        better = ROW.replace("98.8% (98.5 to 99.1%)", "50.0% (49.0 to 51.0%)").replace("0.34 (0.33 to 0.36)", "")
        done = self.claims(f"```sh\nMEASURE\n```\n\n{HEAD}{better}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("holds"), 1)

    def test_enters_what_was_measured(self):
        after = "\nText after.\n"
        self.claims(f"    MEASURE\n\n{HEAD}{ROW}{after}", "--write")
        entered = "| torus:4x4 | broadcast | a Xeon | 98.9% (98.4 to 99.3%) | 0.37 (0.35 to 0.39) |\n"
        self.assertTrue(self.page.read_text().endswith(f"{HEAD}{entered}{after}"))
        self.assertEqual(self.claims(self.page.read_text()).returncode, 0)

    def test_list_runs_nothing(self):
        done = self.claims(f"    MEASURE\n\n{HEAD}{ROW}", "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("98.8% (98.5 to 99.1%)", done.stdout)
        self.assertFalse(self.command.with_suffix(".runs").exists())

    def test_only_some_commands(self):
        self.assertEqual(self.claims(f"    MEASURE\n\n{HEAD}{ROW}", "--list", "--only", "measure.py").returncode, 0)
        self.assertIn("no claims, or none", self.claims(f"    MEASURE\n\n{HEAD}{ROW}", "--list", "--only", "nothing").stderr)

    def test_unclear_pages(self):
        for page, complaint in {
                f"    MEASURE\n\n## Section\n\n{HEAD}{ROW}": r"page\.md:5: no command stands above",
                f"    MEASURE\n\n{HEAD}{ROW.replace(' (98.5 to 99.1%)', '')}": r"page\.md:5: of cables: '98\.8%' is not like",
                f"    MEASURE\n\n{HEAD}{ROW.replace('broadcast', 'scan')}": "printed no 'of cables' for torus:4x4, scan",
                f"    MEASURE\n\n{HEAD.replace('of cables', 'of it')}{ROW}": "printed no 'of it'",
                f"    MEASURE; false\n\n{HEAD}{ROW}".replace("MEASURE; false", "false"): "false: ended with 1",
                f"    no-such-program\n\n{HEAD}{ROW}": "no-such-program",
                "# Nothing\n": "no claims",
        }.items():
            with self.subTest(complaint=complaint):
                done = self.claims(page)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, complaint)
                self.assertNotIn("Traceback", done.stderr)
        self.assertIn("fewer than three", self.claims(f"    MEASURE\n\n{HEAD}{ROW}", "--runs", "2").stderr)

    def test_pages_of_this_project(self):
        pages = {page for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
                 if re.search(r"^\|.* [↑↓] \|", page.read_text(), re.MULTILINE)}
        self.assertLessEqual({ROOT / "README.md", ROOT / "docs" / "benchmarks.md"}, pages)
        for page in pages:
            with self.subTest(page=page.name):
                done = subprocess.run([ROOT / "bench" / "claims", page, "--list"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                for command in re.findall(r"^    (.*)$", done.stdout, re.MULTILINE):
                    program = ROOT / command.removeprefix("sudo ").split()[0]
                    self.assertTrue(program.is_file(), f"{page.name}: {command}")


if __name__ == "__main__":
    unittest.main()
