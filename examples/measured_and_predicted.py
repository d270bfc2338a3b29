#!/usr/bin/env python3
"""Broadcasts of growing size: what they take, and what the model said they would.

mpirun -n 4 python3 measured_and_predicted.py [PLOT.svg]      (the plot needs matplotlib)
"""

import statistics
import sys
import time

import numpy
from mpi4py import MPI

import cuboid

SIZES = [1 << k for k in range(6, 23, 2)]


def measured(ranks, size):
    """Seconds of one broadcast: the median of some, of the slowest rank."""
    plan = ranks.plan.broadcast(numpy.zeros(size, "u1"))
    seconds = []
    for _ in range(9):
        ranks.barrier()
        start = time.perf_counter()
        plan.run()
        seconds.append(time.perf_counter() - start)
    plan.free()
    return ranks.allreduce(numpy.array(statistics.median(seconds)), operation=cuboid.MAXIMUM)


def plot(file, rows):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes, took, predicted, _ = zip(*rows)
    pyplot.loglog(sizes, took, "o-", label="measured")
    pyplot.loglog(sizes, predicted, "--", label="predicted")
    pyplot.xlabel("bytes")
    pyplot.ylabel("seconds")
    pyplot.title("broadcast")
    pyplot.legend()
    pyplot.savefig(file)


ranks = cuboid.Communicator.from_mpi(MPI.COMM_WORLD)
rows = []
for size in SIZES:
    prediction = ranks.predict("broadcast", size)
    rows.append((size, float(measured(ranks, size)), prediction.seconds, prediction.algorithm))
if ranks.rank == 0:
    print(f"{'bytes':>9} {'measured':>12} {'predicted':>12}  algorithm")
    for size, took, predicted, algorithm in rows:
        print(f"{size:>9} {took * 1e6:>9.1f} us {predicted * 1e6:>9.1f} us  {algorithm}")
    if len(sys.argv) > 1:
        plot(sys.argv[1], rows)
ranks.free()
