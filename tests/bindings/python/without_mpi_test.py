#!/usr/bin/env python3
"""Ranks that a launcher with PMIx started, without mpi4py. Run by mpirun or srun."""

import sys

import cuboid
import numpy

with cuboid.Communicator.from_pmix() as ranks:
    everybody = ranks.allgather(numpy.full(1, ranks.rank))
    numpy.testing.assert_array_equal(everybody.ravel(), range(ranks.size))
    half = ranks.split(ranks.rank % 2)
    numpy.testing.assert_array_equal(half.allreduce(numpy.ones(1000)), half.size)
assert "mpi4py" not in sys.modules
