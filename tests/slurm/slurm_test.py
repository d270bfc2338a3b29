#!/usr/bin/env python3
"""Cuboid under Slurm: started by srun with PMIx and by sbatch, on three nodes; steps whose ranks are killed.

Usage: cluster slurm_test.py CUBOID [unittest options]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CUBOID = os.path.abspath(sys.argv.pop(1))
SKIPPED = 77


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=240)


class Slurm(unittest.TestCase):
    def step(self, ranks, *arguments):
        """What a step of so many ranks on all nodes prints."""
        done = run("srun", "--mpi=pmix", "-N3", "-n", ranks, CUBOID, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_switches_are_discovered(self):
        topology = json.loads(self.step(3, "topo", "--json"))
        self.assertEqual(topology["source"], "slurm")
        text = self.step(3, "topo")
        for line in ("3 hosts", "leaf0: 2 nodes", "leaf1: 1 node"):
            self.assertIn(line, text)

    def test_collectives_and_products(self):
        rows = json.loads(self.step(3, "bench", "allreduce", "--size", "1K:64K", "-i", "3", "-c", "--json"))["results"]
        self.assertEqual([row["errors"] for row in rows], [0] * 7)
        product = json.loads(self.step(6, "mm", "--m", "90", "--n", "80", "--k", "70", "--check", "--json"))
        self.assertEqual(product["ranks"], 6)

    def test_a_batch_job(self):
        with tempfile.TemporaryDirectory() as folder:
            script, output = os.path.join(folder, "job.sh"), os.path.join(folder, "output")
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec srun --mpi=pmix {CUBOID} lu --n 60 --check --json\n")
            done = run("sbatch", "--wait", "-N3", "-n3", "-o", output, script)
            with open(output, encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(done.returncode, 0, done.stderr + text)
            self.assertEqual(json.loads(text)["ranks"], 3)

    def test_a_rank_that_is_killed_ends_the_step(self):
        bench = f"{CUBOID} bench allreduce --size 1M -i 1000000000"
        one_dies = f"[ $SLURM_PROCID != 2 ] || (sleep 3; kill -9 $$) & exec {bench}"
        done = run("srun", "--mpi=pmix", "-N3", "-n3", "sh", "-c", one_dies)
        self.assertNotEqual(done.returncode, 0)
        left = run("pgrep", "-f", bench).stdout
        self.assertEqual(left, "")


if __name__ == "__main__":
    if "pmix" not in run("srun", "--mpi=list").stdout + run("srun", "--mpi=list").stderr:
        print("SKIPPED: this Slurm has no PMIx")
        sys.exit(SKIPPED)
    unittest.main()
