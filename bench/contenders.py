"""Common to the measurements within a node: programs that run in alternation, and their results."""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from quiet import undisturbed


@dataclass
class Contender:
    """A program that multiplies: its command and its results."""

    name: str
    command: list
    environment: dict = field(default_factory=dict)
    gflops: list = field(default_factory=list)
    said: dict = field(default_factory=dict)

    def run(self, timeout):
        self.said = undisturbed(lambda: self.run_once(timeout))
        self.gflops.append(self.said["gflops"])

    def run_once(self, timeout):
        done = subprocess.run(list(map(str, self.command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout, check=False, env=os.environ | self.environment)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {done.stderr.strip() or done.returncode}")
        return json.loads(done.stdout)

    @property
    def median(self):
        return statistics.median(self.gflops)


def mpirun(ranks):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-n", ranks]


def kernels_that_fit(threads):
    """Settings for the peers' BLAS libraries: OpenBLAS and BLIS choose slower kernels than this processor supports."""
    environment = {"OPENBLAS_NUM_THREADS": str(threads), "BLIS_NUM_THREADS": str(threads)}
    if "avx512f" in Path("/proc/cpuinfo").read_text():
        environment |= {"OPENBLAS_CORETYPE": "SkylakeX", "BLIS_ARCH_TYPE": "0"}
    return environment


def take_turns(contenders, options):
    """Every round runs all programs, because machines are noisy; the result is the median of the rounds' medians."""
    for _ in range(options.rounds):
        for contender in contenders:
            contender.run(options.timeout)
