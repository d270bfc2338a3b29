"""The rows of misuse.txt of communicators from MPI, in Python. Usage, under mpirun on two ranks:
from_mpi.py OPERATION MISUSE...: prints a line "OPERATION MISUSE OUTCOME" for each pair."""

import sys

import cuboid
import numpy
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
OTHER = 1 - WORLD.rank


def use(communicator):
    try:
        with cuboid.Communicator.from_mpi(communicator) as ranks:
            ranks.allreduce(numpy.ones(1000))
        return "success"
    except cuboid.Error as error:
        return error.code


def between_groups():
    between = MPI.COMM_SELF.Create_intercomm(0, WORLD, OTHER, 7)
    outcome = use(between)
    between.Free()
    return outcome


def beside_a_receive():
    """A receive of any message that the program has pending gets none of Cuboid's."""
    received = numpy.full(1, -1)
    request = WORLD.Irecv(received, MPI.ANY_SOURCE, MPI.ANY_TAG)
    outcome = use(WORLD)
    came = request.Test()
    WORLD.Barrier()  # else the other rank's message may be there already
    if came:
        return "a message of Cuboid's was received"
    WORLD.Send(numpy.full(1, WORLD.rank), OTHER, 5)
    request.Wait()
    return outcome if received[0] == OTHER else "another message was received"


MISUSES = {"nothing": lambda: use(WORLD), "null_communicator": lambda: use(MPI.COMM_NULL),
           "two_groups": between_groups, "pending_receive": beside_a_receive}
for operation, misuse in zip(sys.argv[1::2], sys.argv[2::2]):
    # One write: without a buffer print() makes one of each word, and ranks share the output.
    print(f"{operation} {misuse} {MISUSES[misuse]()}\n", end="", flush=True)
