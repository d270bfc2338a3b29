"""Collectives on NumPy arrays, in three forms."""

from __future__ import annotations

import math
from typing import Any, Callable, Generic, List, Optional, Sequence, TypeVar, cast

import numpy
from numpy.typing import ArrayLike, NDArray

from . import _cuboid
from ._arguments import array_anywhere, is_on_device, new_array, require, stream_number
from ._html import table

Array = NDArray[Any]
Result = TypeVar("Result")
Counts = Optional[Sequence[int]]


class Operation(_cuboid.Operation):
    """How elements are combined. The order is always the same, so every run gives the same bits.

    ``Operation(function)`` is a user-defined operation: ``function(left, right)`` takes two
    one-dimensional arrays, which are copies, and returns their combination, of the same length. It
    must be associative. If it does not commute, operands are combined in rank order. It is called
    with the GIL held, inside calls that wait. What it raises ends the collective: the rank that
    called it gets this exception, all others an Error that names the rank and the exception.
    """

    def __init__(self, function: Callable[[Array, Array], Any], commutative: bool = True) -> None:
        if not callable(function):
            raise TypeError(f"an operation is a function of two arrays, not {function!r}")
        super().__init__(function, commutative)
        self._name = f"cuboid.Operation({function!r})"

    @classmethod
    def _built_in(cls, name: str, kind: _cuboid.Kind) -> "Operation":
        made = cls.__new__(cls)
        _cuboid.Operation.__init__(made, kind)
        made._name = f"cuboid.{name}"
        return made

    def __repr__(self) -> str:
        return self._name


SUM = Operation._built_in("SUM", _cuboid.Kind.sum)
PRODUCT = Operation._built_in("PRODUCT", _cuboid.Kind.product)
MINIMUM = Operation._built_in("MINIMUM", _cuboid.Kind.minimum)
MAXIMUM = Operation._built_in("MAXIMUM", _cuboid.Kind.maximum)
LOGICAL_AND = Operation._built_in("LOGICAL_AND", _cuboid.Kind.logical_and)
LOGICAL_OR = Operation._built_in("LOGICAL_OR", _cuboid.Kind.logical_or)
LOGICAL_XOR = Operation._built_in("LOGICAL_XOR", _cuboid.Kind.logical_xor)
BITWISE_AND = Operation._built_in("BITWISE_AND", _cuboid.Kind.bitwise_and)
BITWISE_OR = Operation._built_in("BITWISE_OR", _cuboid.Kind.bitwise_or)
BITWISE_XOR = Operation._built_in("BITWISE_XOR", _cuboid.Kind.bitwise_xor)
#: For types such as ``numpy.dtype([("value", "f8"), ("index", "i4")], align=True)``.
MINIMUM_LOCATION = Operation._built_in("MINIMUM_LOCATION", _cuboid.Kind.minimum_and_its_location)
MAXIMUM_LOCATION = Operation._built_in("MAXIMUM_LOCATION", _cuboid.Kind.maximum_and_its_location)
#: The sum divided by the number of ranks.
AVERAGE = Operation._built_in("AVERAGE", _cuboid.Kind.average)


def _form_of(result: Optional[Array]) -> str:
    """Shape and type of an output, for people: the array's contents may be in flight."""
    return "none" if result is None else f"{' × '.join(map(str, result.shape)) or 'scalar'} of {result.dtype}"


def _like(values: Any, zero: bool = False) -> Any:
    if is_on_device(values):
        return new_array(values, tuple(values.shape), zero=zero)
    return numpy.zeros_like(values) if zero else numpy.empty_like(values)


class Request:
    """A collective in flight. Its arrays must not be touched until it is complete."""

    def __init__(self, request: _cuboid.Request, result: Optional[Array]) -> None:
        self._request = request
        self._result = result
        self._complete = False

    def wait(self, stream: Any = None) -> Any:
        """Waits until it is complete, and returns the output. Raises Error.

        With a ``stream`` (of CuPy, PyTorch or Numba, or its address) a copy to a device may be under
        way afterwards: what is put into the stream from then on waits for it.
        """
        if stream is None:
            self._request.wait()
        else:
            self._request.wait_on(stream_number(stream))
        self._complete = True
        return self._result

    def test(self) -> bool:
        """Makes progress. Returns True if it is complete. Raises Error."""
        self._complete = self._request.test()
        return self._complete

    def __repr__(self) -> str:
        return f"<cuboid.Request {self._state}>"

    def _repr_html_(self) -> str:
        return table("Request", state=self._state, output=_form_of(self._result))

    @property
    def _state(self) -> str:
        return "complete" if self._complete else "in flight"


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
        """Frees its memory now, or when the run in flight is complete."""
        self._plan.free()

    def __repr__(self) -> str:
        if self._plan.is_freed():
            return "<cuboid.Plan, freed>"
        return f"<cuboid.Plan by {self.algorithm}>"

    def _repr_html_(self) -> str:
        state = "freed" if self._plan.is_freed() else f"planned by {self.algorithm}"
        return table("Plan", state=state, output=_form_of(self._result))


_NOW, _STARTED, _PLANNED = _cuboid.Form.now, _cuboid.Form.started, _cuboid.Form.planned


class Collectives(Generic[Result]):
    """The collectives. All ranks of the communicator make the same calls in the same order.

    Arrays are NumPy's, or others' that ``__cuda_array_interface__`` or DLPack describe, on a device
    (CuPy, PyTorch, JAX, Numba) or the host; the ranks may differ, and so may input and output. New
    outputs lie where the input lies, if its library is CuPy or PyTorch.

    Arrays are contiguous, in C's order or Fortran's, and never copied; what is only read may be a
    list or a number, too. Input and output have the same order, and outputs exactly the length that
    is said here. Without ``output`` a new array is made. A call is in place if input and output are
    the same array, or if a rank's block is its own block of the other array. A method of the
    communicator returns the output when it is done. The same method of ``communicator.start``
    returns a Request, and of ``communicator.plan`` a Plan. In the shapes below P is the number of
    ranks, and x.shape is any shape.
    """

    def __init__(self, communicator: _cuboid.Communicator, form: _cuboid.Form) -> None:
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

    def reduce(self, input: ArrayLike, output: Optional[Array] = None,
               operation: _cuboid.Operation = SUM, root: int = 0) -> Result:
        """Combines all inputs into the root's output of the same shape; None elsewhere."""
        values = array_anywhere(input, "the input")
        if self._communicator.rank() != root:
            output = None
        elif output is None:
            output = _like(values)
        made = self._communicator.reduce(values, output, operation, root, self._form)
        return self._give(made, output)

    def allreduce(self, input: ArrayLike, output: Optional[Array] = None,
                  operation: _cuboid.Operation = SUM) -> Result:
        """Combines all inputs into every rank's output of the same shape."""
        values = array_anywhere(input, "the input")
        output = _like(values) if output is None else output
        return self._give(self._communicator.allreduce(values, output, operation, self._form), output)

    def scan(self, input: ArrayLike, output: Optional[Array] = None,
             operation: _cuboid.Operation = SUM) -> Result:
        """Combines the inputs of ranks 0 to this one, in rank order."""
        values = array_anywhere(input, "the input")
        output = _like(values) if output is None else output
        return self._give(self._communicator.scan(values, output, operation, self._form), output)

    def exscan(self, input: ArrayLike, output: Optional[Array] = None,
               operation: _cuboid.Operation = SUM) -> Result:
        """Combines the inputs of the ranks below this one, in rank order.

        Rank 0's output does not change; a new one is zero.
        """
        values = array_anywhere(input, "the input")
        output = _like(values, zero=True) if output is None else output
        return self._give(self._communicator.exscan(values, output, operation, self._form), output)

    def reduce_scatter(self, input: ArrayLike, output: Optional[Array] = None,
                       operation: _cuboid.Operation = SUM, counts: Counts = None) -> Result:
        """Combines all inputs, a block per rank, and gives each rank its block.

        input (P, ...) or of sum(counts) elements; output: (...) or of counts[rank] elements.
        """
        values = array_anywhere(input, "the input")
        if output is None:
            output = self._new_block(values, counts)
        made = self._communicator.reduce_scatter(values, output, counts, operation, self._form)
        return self._give(made, output)

    def allgather(self, input: ArrayLike, output: Optional[Array] = None, counts: Counts = None,
                  displacements: Counts = None) -> Result:
        """Gives every rank the blocks of all ranks.

        input x.shape, output (P, *x.shape). With ``counts``, which are equal on all ranks, rank r
        contributes counts[r] elements. Blocks are stored one after the other, or from
        ``displacements`` on, which count elements.
        """
        values = array_anywhere(input, "the input")
        if output is None:
            output = self._new_blocks(values, counts, displacements)
        made = self._communicator.allgather(values, output, counts, displacements, self._form)
        return self._give(made, output)

    def gather(self, input: ArrayLike, output: Optional[Array] = None, root: int = 0,
               counts: Counts = None, displacements: Counts = None) -> Result:
        """Gives the root the blocks of all ranks, as allgather() does; None elsewhere.

        Either all ranks give ``counts`` or none does.
        """
        values = array_anywhere(input, "the input")
        if self._communicator.rank() != root:
            output = None
        elif output is None:
            output = self._new_blocks(values, counts, displacements)
        made = self._communicator.gather(values, output, counts, displacements, root, self._form)
        return self._give(made, output)

    def scatter(self, input: Optional[ArrayLike], output: Array, root: int = 0, counts: Counts = None,
                displacements: Counts = None) -> Result:
        """Gives each rank its block of the root's input: input (P, *x.shape), output x.shape."""
        blocks = array_anywhere(input, "the input") if self._communicator.rank() == root else None
        made = self._communicator.scatter(blocks, output, counts, displacements, root, self._form)
        return self._give(made, output)

    def alltoall(self, input: ArrayLike, output: Optional[Array] = None, input_counts: Counts = None,
                 output_counts: Counts = None, input_displacements: Counts = None,
                 output_displacements: Counts = None) -> Result:
        """Rank i's block j becomes rank j's block i.

        Both arrays are (P, ...), or have a count per rank.
        """
        values = array_anywhere(input, "the input")
        if output is None:
            output = (_like(values) if output_counts is None
                      else self._new_blocks(values, output_counts, output_displacements))
        made = self._communicator.alltoall(values, output, input_counts, input_displacements,
                                           output_counts, output_displacements, self._form)
        return self._give(made, output)

    def neighbour_allgather(self, neighbours: "Neighbourhood", input: ArrayLike, output: Array) -> Result:
        """Sends the input to every destination. Block k of the output comes from source k."""
        made = self._communicator.neighbour_allgather(
            require(neighbours, Neighbourhood, "neighbours")._neighbourhood, array_anywhere(input, "the input"), output,
            self._form)
        return self._give(made, output)

    def neighbour_alltoall(self, neighbours: "Neighbourhood", input: ArrayLike, output: Array,
                           input_counts: Counts = None, output_counts: Counts = None,
                           input_displacements: Counts = None,
                           output_displacements: Counts = None) -> Result:
        """Sends input[k] to destination k. output[k] comes from source k.

        With both counts, blocks have these numbers of elements per destination and per source. They
        are stored one after the other, or from the displacements on.
        """
        made = self._communicator.neighbour_alltoall(
            require(neighbours, Neighbourhood, "neighbours")._neighbourhood, array_anywhere(input, "the input"), output,
            input_counts, input_displacements, output_counts, output_displacements, self._form)
        return self._give(made, output)

    def send(self, message: ArrayLike, destination: int, number: int = 0) -> Result:
        """Sends a message. Only sender and receiver make the call.

        Messages match by ranks and by the tag ``number`` (0 to 32767).
        """
        values = array_anywhere(message, "the message")
        made = self._communicator.send(values, destination, number, self._form)
        return self._give(made, values)

    def receive(self, message: Array, source: int, number: int = 0) -> Result:
        """Receives a message of exactly this size."""
        made = self._communicator.receive(message, source, number, self._form)
        return self._give(made, message)

    def exchange(self, outgoing: ArrayLike, destination: int, incoming: Array, source: int,
                 number: int = 0) -> Result:
        """Sends one message and receives another at the same time. Returns ``incoming``."""
        values = array_anywhere(outgoing, "the outgoing message")
        made = self._communicator.exchange(values, destination, incoming, source, number, self._form)
        return self._give(made, incoming)

    def __repr__(self) -> str:
        form = {_NOW: "", _STARTED: ".start", _PLANNED: ".plan"}[self._form]
        if self._communicator.is_freed():
            return f"<cuboid.Communicator{form}, freed>"
        return (f"<cuboid.Communicator{form}, rank {self._communicator.rank()} of "
                f"{self._communicator.size()}>")

    def _new_blocks(self, input: Any, counts: Counts, displacements: Counts) -> Any:
        if counts is not None:
            starts = displacements if displacements is not None else [0] * len(counts)
            size = (sum(counts) if displacements is None
                    else max((s + c for s, c in zip(starts, counts)), default=0))
            return new_array(input, size)
        ranks = self._communicator.size()
        if not is_on_device(input) and input.flags.f_contiguous and not input.flags.c_contiguous:
            return new_array(input, (*input.shape, ranks), order="F")
        return new_array(input, (ranks, *input.shape))

    def _new_block(self, input: Any, counts: Counts) -> Any:
        if counts is not None:
            rank = self._communicator.rank()
            # The library refuses a list that is too short.
            return new_array(input, counts[rank] if rank < len(counts) else 0)
        ranks = self._communicator.size()
        shape = tuple(input.shape)
        in_c_order = is_on_device(input) or input.flags.c_contiguous
        if len(shape) > 0 and shape[0] == ranks and in_c_order:
            return new_array(input, shape[1:])
        return new_array(input, math.prod(shape) // ranks)


class Neighbourhood:
    """The ranks that a rank receives from, and those that it sends to; -1 stands for no rank.

    ``Neighbourhood.graph(sources, destinations)`` names any ranks.
    ``Neighbourhood.grid(extents, wraps, rank)`` names for each axis the rank below, then the rank
    above. Ranks are numbered along the last axis first.
    """

    def __init__(self, neighbourhood: _cuboid.Neighbourhood) -> None:
        self._neighbourhood = neighbourhood

    @classmethod
    def graph(cls, sources: Sequence[int], destinations: Sequence[int]) -> "Neighbourhood":
        """Any ranks: rank i is among the sources of j as often as j among the destinations of i."""
        return cls(_cuboid.Neighbourhood.graph(sources, destinations))

    @classmethod
    def grid(cls, extents: Sequence[int], wraps: Sequence[bool], rank: int) -> "Neighbourhood":
        """The neighbours of a rank on a grid."""
        return cls(_cuboid.Neighbourhood.grid(extents, wraps, rank))

    @property
    def sources(self) -> List[int]:
        return self._neighbourhood.sources()

    @property
    def destinations(self) -> List[int]:
        return self._neighbourhood.destinations()

    def __repr__(self) -> str:
        return f"cuboid.Neighbourhood.graph({self.sources}, {self.destinations})"
