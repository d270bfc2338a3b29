"""MPI jobs on the real machine: where their ranks are, what reaches them, and that they end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
from collections import Counter

from paths import LAB
from machine import MachineTest, heed_interrupts, lab, wait_until

STUBBORN = ["sh", "-c", 'trap "" TERM INT HUP; sleep 1000 & wait; wait; sleep 1000']


class Run(MachineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if shutil.which("mpirun") is None:
            print(f"SKIPPED: needs mpirun: {cls.__name__}", file=sys.stderr, flush=True)
            raise unittest.SkipTest("needs mpirun")

    def test_ranks_fill_the_nodes(self):
        name = self.up("torus:3x3", "--ranks-per-node", "2")
        where = Counter(self.run_lab("run", "--name", name, "--", "hostname").split())
        self.assertEqual(where, {f"n{node}": 2 for node in range(9)})
        where = Counter(self.run_lab("run", "-n", "3", "--name", name, "--", "hostname").split())
        self.assertEqual(where, {"n0": 2, "n1": 1})
        where = Counter(self.run_lab("run", "-n", "20", "--name", name, "--", "hostname").split())
        self.assertEqual(where.total(), 20)
        self.assertEqual(len(where), 9)

    def test_what_reaches_the_ranks(self):
        name = self.up("mesh:2")
        command = ["run", "--name", name, "--", "sh", "-c", "echo $CUBOID_TRIAL $UCX_TRIAL $UCX_NET_DEVICES"]
        output = self.run_lab(*command, env=os.environ | {"CUBOID_TRIAL": "one", "UCX_TRIAL": "two"})
        self.assertEqual(output, "one two br0\n" * 2)
        self.assertEqual(self.run_lab("run", "-n", "1", "--name", name, "--", "cat", input="hello"), "hello")

    def test_exit_codes_pass_through(self):
        name = self.up("mesh:2")
        self.run_lab("run", "--name", name, "--", "sh", "-c", "exit 3", code=3)
        self.run_lab("run", "--name", name, "--", "false", code=1)

    def test_another_mpi(self):
        name = self.up("mesh:2")
        output = self.run_lab("run", "--mpi", shutil.which("mpirun"), "--name", name, "--", "hostname")
        self.assertEqual(sorted(output.split()), ["n0", "n1"])
        self.run_lab("run", "--mpi", "/nowhere", "--name", name, "--", "hostname", code=2)

    def test_the_killed_take_no_part(self):
        name = self.up("ring:4")
        self.run_lab("kill", "n0", "--name", name)
        output = self.run_lab("run", "--name", name, "--", "hostname")
        self.assertEqual(sorted(output.split()), ["n1", "n2", "n3"])

    def test_the_time_limit_ends_everything(self):
        name = self.up("mesh:3")
        done = lab("run", "--timeout", "2", "--name", name, "--", *STUBBORN)
        self.assertEqual(done.returncode, 124)
        self.assertIn("time limit", done.stderr)
        self.assertEqual(self.processes(name), 0)

    def test_interrupts_end_everything(self):
        name = self.up("mesh:3")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130)):
            job = self.start_job(name)
            job.send_signal(number)
            self.assertEqual(job.wait(30), code)
            self.assertEqual(self.processes(name), 0)

    def test_a_run_ends_nothing_but_itself(self):
        name = self.up("mesh:3")
        longer = self.start_job(name)
        before = self.processes(name)
        self.assertEqual(lab("run", "--timeout", "2", "--name", name, "--", *STUBBORN).returncode, 124)
        self.assertIsNone(longer.poll())
        self.assertEqual(self.processes(name), before)
        longer.terminate()
        longer.wait(30)

    def test_a_job_ends_when_the_lab_command_is_killed(self):
        name = self.up("mesh:3")
        job = self.start_job(name, ["sleep", "1000"])
        job.kill()
        job.wait(30)
        wait_until(lambda: self.processes(name) == 0)

    def start_job(self, name, command=tuple(STUBBORN)):
        """A job whose three ranks are running."""
        before = self.processes(name)
        job = subprocess.Popen([LAB, "run", "--name", name, "--", *command], stderr=subprocess.DEVNULL,
                               preexec_fn=heed_interrupts)
        wait_until(lambda: self.processes(name) >= before + 3 + 3)
        return job

    def processes(self, name):
        """How many processes a lab holds."""
        return sum(node["processes"] for node in json.loads(self.run_lab("status", "--json", "--name", name))["nodes"])


if __name__ == "__main__":
    unittest.main()
