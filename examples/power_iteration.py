#!/usr/bin/env python3
"""The largest eigenvalue of a symmetric matrix by power iteration: each rank has some rows.

mpirun -n 4 python3 power_iteration.py
"""

import numpy
from mpi4py import MPI

import cuboid

N, STEPS = 240, 200

ranks = cuboid.Communicator.from_mpi(MPI.COMM_WORLD)
if N % ranks.size != 0:
    raise SystemExit(f"{ranks.size} ranks cannot share {N} rows equally")
rows = N // ranks.size
mine = numpy.arange(N)[ranks.rank * rows:(ranks.rank + 1) * rows]
matrix = 1 / (1 + abs(mine[:, None] - numpy.arange(N)))
x, y = numpy.ones(N), numpy.empty(rows)
gather = ranks.plan.allgather(y, x)  # made once, run in every step: this allocates nothing
for step in range(STEPS):
    y[:] = matrix @ x
    square = ranks.allreduce(numpy.array(y @ y))
    y /= numpy.sqrt(square)
    gather.run()
if ranks.rank == 0:
    print(f"largest eigenvalue {numpy.sqrt(square):.9f}")
gather.free()
ranks.free()
