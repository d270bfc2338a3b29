"""Collectives and matrices that know the network, for NumPy arrays.

    from mpi4py import MPI
    import cuboid

    ranks = cuboid.Communicator.from_mpi(MPI.COMM_WORLD)
    total = ranks.allreduce(array)               # done when it returns
    request = ranks.start.broadcast(array)       # started; request.wait() completes it
    plan = ranks.plan.allreduce(array, output)   # made once; plan.run() many times
    c = cuboid.multiply(a, b)                    # product of two cuboid.Matrix
"""

from . import _cuboid, model
from ._error import Error, InvalidArgument
from .collectives import (AVERAGE, BITWISE_AND, BITWISE_OR, BITWISE_XOR, LOGICAL_AND, LOGICAL_OR,
                          LOGICAL_XOR, MAXIMUM, MAXIMUM_LOCATION, MINIMUM, MINIMUM_LOCATION, PRODUCT,
                          SUM, Collectives, Neighbourhood, Operation, Plan, Request)
from .communicator import Axis, Communicator, Prediction, Traffic, run_ranks
from .linear_algebra import (Factorisation, MixedPrecision, Multiplication, QrFactorisation, cholesky, cond,
                             factorise, hemm, her2k, herk, inv, lacpy, lascl, laset, lstsq, multiply,
                             norm, qr, redistribute, slogdet, solve, solve_mixed, symm, syr2k, syrk, trmm, trsm,
                             trtri)
from .matrix import Matrix
from .window import Window

__version__ = _cuboid.version()

__all__ = [
    "AVERAGE", "Axis", "BITWISE_AND", "BITWISE_OR", "BITWISE_XOR", "Collectives", "Communicator",
    "Error", "Factorisation", "InvalidArgument", "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR", "MAXIMUM",
    "MAXIMUM_LOCATION", "MINIMUM", "MINIMUM_LOCATION", "Matrix", "MixedPrecision", "Multiplication",
    "Neighbourhood", "Operation", "PRODUCT", "Plan", "Prediction", "QrFactorisation", "Request", "SUM", "Traffic",
    "Window", "cholesky", "cond", "factorise", "hemm", "her2k", "herk", "inv", "lacpy", "lascl", "laset", "lstsq",
    "model", "multiply", "norm", "qr", "redistribute", "run_ranks", "slogdet", "solve", "solve_mixed", "symm", "syr2k",
    "syrk", "trmm", "trsm", "trtri",
]
