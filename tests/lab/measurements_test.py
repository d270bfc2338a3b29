#!/usr/bin/env python3
"""Do measurements on the lab run, and leave no network behind when they are ended early?

CUBOID_COMMAND says where the command is. Needs root; without, the test is skipped and says so.
"""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from own_lab import COMMAND, OwnLab

BENCH = Path(__file__).resolve().parents[2] / "bench" / "lab"
lab = OwnLab("measurements", seconds=120)


@unittest.skipUnless(os.geteuid() == 0, "SKIPPED: the lab needs root")
class MeasurementsTest(unittest.TestCase):
    """Runs measurements with few repetitions, or ends one by a signal."""

    def tearDown(self):
        lab("down", check=False)

    def is_up(self):
        """Whether the measurement's network is there."""
        return lab("status", check=False).returncode == 0

    def measured(self, script, *flags):
        """The rows that a measurement prints, below the head of their table."""
        command = [str(BENCH / script), "--name", lab.name, "--cuboid", COMMAND, *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=lab.seconds, check=True)
        return done.stdout.splitlines()[2:]

    def test_rows(self):
        rows = self.measured("measure", "--no-mpi", "--iterations", "1", "2", "4")
        for row, what in zip(rows, ("root 6", "allreduce 16M"), strict=True):
            self.assertIn(what, row)
            self.assertIn("% (≥ 9", row)  # of the bound
        (row,) = self.measured("multiply", "--size", "256", "--repeats", "1", "1")
        self.assertIn("auto", row)

    def test_a_signal(self):
        with subprocess.Popen([str(BENCH / "short"), "--name", lab.name, "--cuboid", COMMAND, "--iterations", "100000", "1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as measurement:
            while not self.is_up():
                self.assertIsNone(measurement.poll(), "the measurement ended before its network was up")
                time.sleep(0.1)
            measurement.send_signal(signal.SIGTERM)
            self.assertNotEqual(measurement.wait(lab.seconds), 0)
        self.assertFalse(self.is_up())


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("SKIPPED: the lab needs root; no measurement was begun", file=sys.stderr)
    unittest.main()
