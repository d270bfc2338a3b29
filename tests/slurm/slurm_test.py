#!/usr/bin/env python3
"""Cuboid under Slurm: started by srun with PMIx and by sbatch, on three nodes; steps whose ranks are killed; a program
without MPI.

Usage: cluster slurm_test.py CUBOID WITHOUT_MPI [unittest options]
       cluster --lab ring:3 slurm_test.py CUBOID WITHOUT_MPI --lab [unittest options]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

CUBOID = os.path.abspath(sys.argv.pop(1))
WITHOUT_MPI = os.path.abspath(sys.argv.pop(1))
LAB = "--lab" in sys.argv
if LAB:
    sys.argv.remove("--lab")
SKIPPED = 77


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=240)


class Slurm(unittest.TestCase):
    def step(self, ranks, *arguments):
        """What a step of so many ranks on all nodes prints."""
        done = run("srun", "--mpi=pmix", "-N3", "-n", ranks, CUBOID, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    @unittest.skipUnless(LAB, "the nodes are not a lab's")
    def test_cables_are_discovered(self):
        topology = json.loads(self.step(3, "topo", "--json"))
        self.assertEqual(topology["source"], "kernel")
        self.assertEqual(topology["shape"]["extents"], [3])

    @unittest.skipIf(LAB, "a lab has cables")
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
            script, output, errors = (os.path.join(folder, name) for name in ("job.sh", "output", "errors"))
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec srun --mpi=pmix {CUBOID} lu --n 60 --check --json\n")
            done = run("sbatch", "--wait", "-N3", "-n3", "-o", output, "-e", errors, script)
            with open(output, encoding="utf-8") as file:
                text = file.read()
            with open(errors, encoding="utf-8") as file:
                self.assertEqual(done.returncode, 0, done.stderr + text + file.read())
            self.assertEqual(json.loads(text)["ranks"], 3)

    def test_a_rank_that_is_killed_ends_the_step(self):
        bench = f"{CUBOID} bench allreduce --size 1M -i 1000000000"
        one_dies = f"[ $SLURM_PROCID != 2 ] || (sleep 3; kill -9 $$) & exec {bench}"
        done = run("srun", "--mpi=pmix", "-N3", "-n3", "sh", "-c", one_dies)
        self.assertNotEqual(done.returncode, 0)
        left = run("pgrep", "-f", bench).stdout
        self.assertEqual(left, "")

    def test_a_program_without_mpi(self):
        for ranks in (3, 5, 6):
            done = run("srun", "--mpi=pmix", "-N3", "-n", ranks, WITHOUT_MPI)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_without_mpi_the_others_name_a_rank_that_does_not_come(self):
        for absent in range(3):
            done = run("srun", "--mpi=pmix", "-N3", "-n3", WITHOUT_MPI, "absent", absent)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_without_mpi_a_rank_that_is_killed_ends_the_step(self):
        done = run("srun", "--mpi=pmix", "-N3", "-n3", WITHOUT_MPI, "killed")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(run("pgrep", "-f", f"{WITHOUT_MPI} killed").stdout, "")

    def test_without_mpi_and_without_pmix_the_remedy_is_told(self):
        done = run("srun", "--mpi=none", "-N1", "-n1", WITHOUT_MPI)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("srun --mpi=pmix", done.stderr)


if __name__ == "__main__":
    if "pmix" not in run("srun", "--mpi=list").stdout + run("srun", "--mpi=list").stderr:
        print("SKIPPED: this Slurm has no PMIx")
        sys.exit(SKIPPED)
    unittest.main()
