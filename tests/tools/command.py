"""Runs `cuboid` as a person or a script does, and holds it to what every subcommand promises.

To be imported before unittest reads the command line: the test's first argument is the command.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import npy

CUBOID = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "cuboid"

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

# A shell that starts the tests in the background ignores the signal for them, and so for the commands that they interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def launcher(ranks):
    launch = ["mpirun", "-n", str(ranks), "--oversubscribe"]
    return launch + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def without_comments(text):
    """The lines of a CSV file that csv reads: those after the comments, which say what made it."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def written_to(file):
    """What a process has written so far. Leaves the place alone at which it writes next."""
    return os.pread(file.fileno(), 1 << 24, 0).decode()


def interrupted_when(process, ready, seconds):
    """Sends SIGINT as soon as ready(), and returns what the process printed to standard output."""
    until = time.monotonic() + seconds
    while not ready() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=seconds)[0]


class CommandTest(unittest.TestCase):
    subcommand = ()  # what every run begins with
    seconds = 240  # that a run may take

    def run_command(self, *arguments, launch=(), environment=None):
        return subprocess.run(
            [*launch, CUBOID, *self.subcommand, *map(str, arguments)], capture_output=True, text=True,
            timeout=self.seconds,
            env={**os.environ, "CUBOID_TIMEOUT": "60", **(environment or {})})

    def succeed(self, *arguments, **how):
        run = self.run_command(*arguments, **how)
        self.assertEqual(run.returncode, DONE, run.stdout + run.stderr)
        return run

    def result(self, *arguments, **how):
        """The one object that --json prints."""
        run = self.succeed(*arguments, "--json", **how)
        self.assertEqual(run.stdout.count("\n"), 1)
        return json.loads(run.stdout)

    def refuse(self, arguments, *mentions, **how):
        """Bad usage: see ends_with."""
        self.ends_with(USAGE, arguments, *mentions, **how)

    def breaks_off(self, arguments, *mentions, **how):
        """A failed run: see ends_with."""
        self.ends_with(FAILED, arguments, *mentions, **how)

    def ends_with(self, code, arguments, *mentions, **how):
        """The command ends with `code`, one line on stderr that has all `mentions`, no output."""
        run = self.run_command(*arguments, **how)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        # The log ("cuboid[rank]: ...") and that of UCX ("[seconds] ...") are not messages of the command.
        lines = [line for line in run.stderr.splitlines() if not line.startswith(("cuboid[", "["))]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertTrue(lines[0].startswith("cuboid: error: "), lines[0])
        for mention in mentions:
            self.assertIn(str(mention), lines[0])


class MatrixTest(CommandTest):
    """A test with a folder for the files of matrices."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cuboid-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def npy(self, name, rows, **how):
        npy.write(self.path(name), rows, **how)
        return self.path(name)

    def text(self, name, content):
        with open(self.path(name), "w") as file:
            file.write(content)
        return self.path(name)
