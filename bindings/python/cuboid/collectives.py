"""Collectives on NumPy arrays, in three forms."""

from __future__ import annotations

from typing import Any, Callable, Generic, Optional, Sequence, TypeVar, cast

import numpy
from numpy.typing import NDArray

from . import _cuboid

Array = NDArray[Any]
Result = TypeVar("Result")
Counts = Optional[Sequence[int]]


class Operation(_cuboid.Operation):
    """How elements are combined. The order is always the same, so every run gives the same bits.

    ``Operation(function)`` is a user-defined operation: ``function(left, right)`` takes two
    one-dimensional arrays and returns their combination. It must be associative. If it does not
    commute, operands are combined in rank order. It is called with the GIL held, inside calls that
    wait.
    """

    def __init__(self, function: Callable[[Array, Array], Any], commutative: bool = True) -> None:
        super().__init__(function, commutative)


def _built_in(number: int) -> _cuboid.Operation:
    return _cuboid.Operation(number)


SUM = _built_in(1)
PRODUCT = _built_in(2)
MINIMUM = _built_in(3)
MAXIMUM = _built_in(4)
LOGICAL_AND = _built_in(5)
LOGICAL_OR = _built_in(6)
LOGICAL_XOR = _built_in(7)
BITWISE_AND = _built_in(8)
BITWISE_OR = _built_in(9)
BITWISE_XOR = _built_in(10)
#: For types such as ``numpy.dtype([("value", "f8"), ("index", "i4")], align=True)``.
MINIMUM_LOCATION = _built_in(11)
MAXIMUM_LOCATION = _built_in(12)
#: The sum divided by the number of ranks.
AVERAGE = _built_in(13)


class Request:
    """A collective in flight. Its arrays must not be touched until it is complete."""

    def __init__(self, request: _cuboid.Request, result: Optional[Array]) -> None:
        self._request = request
        self._result = result

    def wait(self) -> Any:
        """Waits until it is complete, and returns the output. Raises Error."""
        self._request.wait()
        return self._result

    def test(self) -> bool:
        """Makes progress. Returns whether it is complete."""
        return self._request.test()


class Plan:
    """A persistent collective: planned once, run many times on the same arrays."""

    def __init__(self, plan: _cuboid.Plan, result: Optional[Array]) -> None:
        self._plan = plan
        self._result = result

    def run(self) -> Any:
        """Runs it, and returns the output."""
        self._plan.run()
        return self._result

    def start(self) -> Request:
        """Starts a run. The previous run must be complete."""
        return Request(self._plan.start(), self._result)

    @property
    def algorithm(self) -> str:
        """The algorithm in use, e.g. "binomial"."""
        return self._plan.algorithm()

    def free(self) -> None:
        """Frees its memory now."""
        self._plan.free()


_NOW, _STARTED, _PLANNED = 0, 1, 2


class Collectives(Generic[Result]):
    """The collectives. All ranks of the communicator make the same calls in the same order.

    Arrays are contiguous, in C's order or Fortran's, and never copied. Input and output have the
    same order. Without ``output`` a new array is made. A call is in place if input and output are the
    same array, or if a rank's block is its own block of the other array. A method of the
    communicator returns the output when it is done. The same method of ``communicator.start``
    returns a Request, and of ``communicator.plan`` a Plan. In the shapes below P is the number of
    ranks, and x.shape is any shape.
    """

    def __init__(self, communicator: _cuboid.Communicator, form: int) -> None:
        self._communicator = communicator
        self._form = form

    def _give(self, made: Any, result: Optional[Array]) -> Result:
        given: Any = result
        if self._form == _STARTED:
            given = Request(made, result)
        elif self._form == _PLANNED:
            given = Plan(made, result)
        return cast(Result, given)

    def barrier(self) -> Result:
        """Waits until all ranks have called it."""
        return self._give(self._communicator.barrier(self._form), None)

    def broadcast(self, buffer: Array, root: int = 0) -> Result:
        """Copies the root's ``buffer`` into every rank's. Returns it."""
        return self._give(self._communicator.broadcast(buffer, root, self._form), buffer)

    def reduce(self, input: Array, output: Optional[Array] = None,
               operation: _cuboid.Operation = SUM, root: int = 0) -> Result:
        """Combines all inputs into the root's output of the same shape; None elsewhere."""
        if self._communicator.rank() != root:
            output = None
        elif output is None:
            output = numpy.empty_like(input)
        made = self._communicator.reduce(input, output, operation, root, self._form)
        return self._give(made, output)

    def allreduce(self, input: Array, output: Optional[Array] = None,
                  operation: _cuboid.Operation = SUM) -> Result:
        """Combines all inputs into every rank's output of the same shape."""
        output = numpy.empty_like(input) if output is None else output
        return self._give(self._communicator.allreduce(input, output, operation, self._form), output)

    def scan(self, input: Array, output: Optional[Array] = None,
             operation: _cuboid.Operation = SUM) -> Result:
        """Combines the inputs of ranks 0 to this one, in rank order."""
        output = numpy.empty_like(input) if output is None else output
        return self._give(self._communicator.scan(input, output, operation, self._form), output)

    def exscan(self, input: Array, output: Optional[Array] = None,
               operation: _cuboid.Operation = SUM) -> Result:
        """Combines the inputs of the ranks below this one, in rank order.

        Rank 0's output does not change; a new one is zero.
        """
        output = numpy.zeros_like(input) if output is None else output
        return self._give(self._communicator.exscan(input, output, operation, self._form), output)

    def reduce_scatter(self, input: Array, output: Optional[Array] = None,
                       operation: _cuboid.Operation = SUM, counts: Counts = None) -> Result:
        """Combines all inputs, a block per rank, and gives each rank its block.

        input (P, ...) or of sum(counts) elements; output: (...) or of counts[rank] elements.
        """
        if output is None:
            output = self._new_block(input, counts)
        made = self._communicator.reduce_scatter(input, output, counts, operation, self._form)
        return self._give(made, output)

    def allgather(self, input: Array, output: Optional[Array] = None, counts: Counts = None,
                  displacements: Counts = None) -> Result:
        """Gives every rank the blocks of all.

        input x.shape, output (P, *x.shape). With ``counts``, which are equal on all ranks, rank r
        contributes counts[r] elements. Blocks are stored one after the other, or from
        ``displacements`` on, which count elements.
        """
        if output is None:
            output = self._new_blocks(input, counts, displacements)
        made = self._communicator.allgather(input, output, counts, displacements, self._form)
        return self._give(made, output)

    def gather(self, input: Array, output: Optional[Array] = None, root: int = 0,
               counts: Counts = None, displacements: Counts = None) -> Result:
        """Gives the root the blocks of all, as allgather() does; None elsewhere.

        Either all ranks give ``counts`` or none does.
        """
        if self._communicator.rank() != root:
            output = None
        elif output is None:
            output = self._new_blocks(input, counts, displacements)
        made = self._communicator.gather(input, output, counts, displacements, root, self._form)
        return self._give(made, output)

    def scatter(self, input: Optional[Array], output: Array, root: int = 0, counts: Counts = None,
                displacements: Counts = None) -> Result:
        """Gives each rank its block of the root's input: input (P, *x.shape), output x.shape."""
        if self._communicator.rank() != root:
            input = None
        made = self._communicator.scatter(input, output, counts, displacements, root, self._form)
        return self._give(made, output)

    def alltoall(self, input: Array, output: Optional[Array] = None, input_counts: Counts = None,
                 output_counts: Counts = None, input_displacements: Counts = None,
                 output_displacements: Counts = None) -> Result:
        """Rank i's block j becomes rank j's block i.

        Both arrays are (P, ...), or have a count per rank.
        """
        if output is None:
            output = (numpy.empty_like(input) if output_counts is None
                      else self._new_blocks(input, output_counts, output_displacements))
        made = self._communicator.alltoall(input, output, input_counts, input_displacements,
                                           output_counts, output_displacements, self._form)
        return self._give(made, output)

    def neighbour_allgather(self, neighbours: "Neighbourhood", input: Array, output: Array) -> Result:
        """Sends the input to every destination. Block k of the output comes from source k."""
        made = self._communicator.neighbour_allgather(neighbours, input, output, self._form)
        return self._give(made, output)

    def neighbour_alltoall(self, neighbours: "Neighbourhood", input: Array, output: Array,
                           input_counts: Counts = None, output_counts: Counts = None,
                           input_displacements: Counts = None,
                           output_displacements: Counts = None) -> Result:
        """Sends input[k] to destination k. output[k] comes from source k.

        With both counts, blocks have these numbers of elements per destination and per source. They
        are stored one after the other, or from the displacements on.
        """
        if (input_counts is None) != (output_counts is None):
            raise ValueError("neighbour_alltoall: give input_counts and output_counts, or neither")
        if input_counts is not None:
            made = self._communicator.neighbour_alltoallv(
                neighbours, input, output, input_counts, input_displacements, output_counts,
                output_displacements, self._form)
            return self._give(made, output)
        block = max(input[:1].size, output[:1].size)
        made = self._communicator.neighbour_alltoall(neighbours, input, output, block, self._form)
        return self._give(made, output)

    def send(self, message: Array, destination: int, number: int = 0) -> Result:
        """Sends a message. Only sender and receiver make the call.

        Messages match by ranks and by the tag ``number`` (0 to 32767).
        """
        made = self._communicator.send(message, destination, number, self._form)
        return self._give(made, message)

    def receive(self, message: Array, source: int, number: int = 0) -> Result:
        """Receives a message of exactly this size."""
        made = self._communicator.receive(message, source, number, self._form)
        return self._give(made, message)

    def exchange(self, outgoing: Array, destination: int, incoming: Array, source: int,
                 number: int = 0) -> Result:
        """Sends one message and receives another at the same time. Returns ``incoming``."""
        made = self._communicator.exchange(outgoing, destination, incoming, source, number, self._form)
        return self._give(made, incoming)

    def _new_blocks(self, input: Array, counts: Counts, displacements: Counts) -> Array:
        if counts is not None:
            starts = displacements if displacements is not None else [0] * len(counts)
            size = (sum(counts) if displacements is None
                    else max((s + c for s, c in zip(starts, counts)), default=0))
            return numpy.empty(size, input.dtype)
        ranks = self._communicator.size()
        if input.flags.f_contiguous and not input.flags.c_contiguous:
            return numpy.empty((*input.shape, ranks), input.dtype, order="F")
        return numpy.empty((ranks, *input.shape), input.dtype)

    def _new_block(self, input: Array, counts: Counts) -> Array:
        if counts is not None:
            return numpy.empty(counts[self._communicator.rank()], input.dtype)
        ranks = self._communicator.size()
        if input.ndim > 0 and input.shape[0] == ranks and input.flags.c_contiguous:
            return numpy.empty(input.shape[1:], input.dtype)
        return numpy.empty(input.size // ranks, input.dtype)


class Neighbourhood(_cuboid.Neighbourhood):
    """The ranks that a rank receives from, and those that it sends to; -1 stands for no rank.

    ``Neighbourhood.graph(sources, destinations)`` names any ranks.
    ``Neighbourhood.grid(extents, wraps, rank)`` names for each axis the rank below, then the rank
    above. Ranks are numbered along the last axis first.
    """
