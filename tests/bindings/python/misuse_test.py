#!/usr/bin/env python3
"""Every public function of the package with wrong arguments, one at a time: an exception, never a crash, a hang or success.

A row names a function and arguments that are right. By the kind of each argument it is known what is wrong in its place.
A public function without a row fails the test, and so does a row without a function.
"""

import inspect
import os
import unittest

import numpy

import cuboid

UNDER_MPI = "OMPI_COMM_WORLD_SIZE" in os.environ
if UNDER_MPI:
    from mpi4py import MPI

REFUSALS = {"invalid_argument", "unsupported", "parse", "out_of_memory"}


class World:
    """A communicator, and what rows are made of."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.freed = ranks.duplicate()
        self.freed.free()
        self.part = ranks.duplicate()
        self.ring = cuboid.Neighbourhood.grid([ranks.size], [True], ranks.rank)
        self.window = cuboid.Window(ranks, 64)
        self.square = self.matrix(numpy.eye(8))
        self.right = self.matrix(numpy.ones((8, 3)))
        self.planned = cuboid.Multiplication(self.square, self.square, self.square.like())
        self.factors = cuboid.factorise(self.square)
        self.orthogonal = cuboid.qr(self.square)
        self.plan = ranks.plan.allreduce(numpy.ones(3))
        self.request = ranks.start.allreduce(numpy.ones(3))
        self.request.wait()
        self.ended = {"Window": cuboid.Window(ranks, 64), "Plan": ranks.plan.allreduce(numpy.ones(3)),
                      "Multiplication": cuboid.Multiplication(self.square, self.square, self.square.like())}
        for one in self.ended.values():
            one.free()
        self.local = numpy.zeros(cuboid.Matrix(ranks, 8, 8).local.shape, order="F")

    def matrix(self, whole):
        return cuboid.Matrix.from_array(self.ranks, whole)

    def end(self):
        self.window.free()
        self.planned.free()
        self.plan.free()
        self.part.free()


def six():
    return numpy.ones(6)


# What is called with which arguments. A function of two parameters, the world and the form of a collective, gives the object.
OF_ANY_FORM = {
    "barrier": lambda w: {},
    "broadcast": lambda w: dict(buffer=six(), root=0),
    "reduce": lambda w: dict(input=six(), output=six(), operation=cuboid.SUM, root=0),
    "allreduce": lambda w: dict(input=six(), output=six(), operation=cuboid.SUM),
    "scan": lambda w: dict(input=six(), output=six(), operation=cuboid.SUM),
    "exscan": lambda w: dict(input=six(), output=six(), operation=cuboid.SUM),
    "reduce_scatter": lambda w: dict(input=numpy.ones(6 * w.ranks.size), output=six(), operation=cuboid.SUM),
    "reduce_scatter with counts": lambda w: dict(input=numpy.ones(6 * w.ranks.size), output=six(), operation=cuboid.SUM,
                                                 counts=[6] * w.ranks.size),
    "allgather": lambda w: dict(input=six(), output=numpy.ones(6 * w.ranks.size)),
    "allgather with counts": lambda w: dict(input=six(), output=numpy.ones(6 * w.ranks.size), counts=[6] * w.ranks.size,
                                            displacements=[6 * r for r in range(w.ranks.size)]),
    "gather": lambda w: dict(input=six(), output=numpy.ones(6 * w.ranks.size), root=0),
    "scatter": lambda w: dict(input=numpy.ones(6 * w.ranks.size), output=six(), root=0),
    "alltoall": lambda w: dict(input=numpy.ones(6 * w.ranks.size), output=numpy.ones(6 * w.ranks.size)),
    "alltoall with counts": lambda w: dict(
        input=numpy.ones(6 * w.ranks.size), output=numpy.ones(6 * w.ranks.size), input_counts=[6] * w.ranks.size,
        output_counts=[6] * w.ranks.size),
    "neighbour_allgather": lambda w: dict(neighbours=w.ring, input=six(), output=numpy.ones(12)),
    "neighbour_alltoall": lambda w: dict(neighbours=w.ring, input=six(), output=six()),
    "send": lambda w: dict(message=six(), destination=w.ranks.rank - 1, number=0),
    "receive": lambda w: dict(message=six(), source=w.ranks.rank - 1, number=0),
    "exchange": lambda w: dict(outgoing=six(), destination=w.ranks.rank, incoming=six(), source=w.ranks.rank, number=0),
}
ROWS = {
    "Communicator.__init__": (lambda w: cuboid.Communicator, lambda w: dict(communicator=w.ranks._communicator)),
    "Communicator.from_mpi": (lambda w: cuboid.Communicator.from_mpi, lambda w: dict(communicator=w.ranks)),
    "Communicator.from_pmix": (lambda w: cuboid.Communicator.from_pmix, lambda w: {}),
    "Communicator.from_exchange": (lambda w: cuboid.Communicator.from_exchange,
                                   lambda w: dict(rank=0, size=1, exchange=lambda mine: [mine])),
    "Communicator.split": (lambda w: w.ranks.split, lambda w: dict(colour=0, key=0)),
    "Communicator.duplicate": (lambda w: w.part.duplicate, lambda w: {}),
    "Communicator.shrink": (lambda w: w.part.shrink, lambda w: {}),
    "Communicator.with_algorithms": (lambda w: w.ranks.with_algorithms, lambda w: dict(rules="broadcast:binomial")),
    "Communicator.on": (lambda w: w.ranks.on, lambda w: dict(stream=0)),
    "Communicator.revoke": (lambda w: w.ranks.revoke, lambda w: dict(reason="no reason")),
    "Communicator.progress": (lambda w: w.ranks.progress, lambda w: {}),
    "Communicator.traffic": (lambda w: w.ranks.traffic, lambda w: dict(peer=0)),
    "Communicator.coordinate": (lambda w: w.ranks.coordinate, lambda w: dict(rank=0)),
    "Communicator.line": (lambda w: w.ranks.line, lambda w: dict(axis=0)),
    "Communicator.same_node": (lambda w: w.ranks.same_node, lambda w: dict(rank=0)),
    "Communicator.predict": (lambda w: w.ranks.predict, lambda w: dict(operation="broadcast", bytes=8)),
    "Communicator.free": (lambda w: w.freed.free, lambda w: {}),
    "Collectives.__init__": (lambda w: cuboid.Collectives, lambda w: {}),
    "Neighbourhood.__init__": (lambda w: cuboid.Neighbourhood, lambda w: {}),
    "Neighbourhood.graph": (lambda w: cuboid.Neighbourhood.graph, lambda w: dict(sources=[0], destinations=[0])),
    "Neighbourhood.grid": (lambda w: cuboid.Neighbourhood.grid, lambda w: dict(extents=[2], wraps=[True], rank=0)),
    "Operation.__init__": (lambda w: cuboid.Operation, lambda w: dict(function=lambda left, right: left)),
    "Plan.__init__": (lambda w: cuboid.Plan, lambda w: {}),
    "Plan.run": (lambda w: w.plan.run, lambda w: {}),
    "Plan.start": (lambda w: w.plan.start, lambda w: {}),
    "Plan.free": (lambda w: w.plan.free, lambda w: {}),
    "Request.__init__": (lambda w: cuboid.Request, lambda w: {}),
    "Request.wait": (lambda w: w.request.wait, lambda w: {}),
    "Request.test": (lambda w: w.request.test, lambda w: {}),
    "Window.__init__": (lambda w: cuboid.Window, lambda w: dict(communicator=w.ranks, bytes=8)),
    "Window.memory": (lambda w: w.window.memory, lambda w: dict(dtype="f8")),
    "Window.memory_on_device": (lambda w: w.window.memory_on_device, lambda w: dict(dtype="f8")),
    "Window.put": (lambda w: w.window.put, lambda w: dict(mine=six(), peer=0, offset=0)),
    "Window.get": (lambda w: w.window.get, lambda w: dict(mine=six(), peer=0, offset=0)),
    "Window.flush": (lambda w: w.window.flush, lambda w: {}),
    "Window.fence": (lambda w: w.window.fence, lambda w: {}),
    "Window.free": (lambda w: w.window.free, lambda w: {}),
    "Matrix.__init__": (lambda w: cuboid.Matrix, lambda w: dict(communicator=w.ranks, m=8, n=8, dtype=numpy.dtype("f8"),
                                                                block=(2, 2), grid=(1, w.ranks.size))),
    "Matrix.wrap": (lambda w: cuboid.Matrix.wrap, lambda w: dict(communicator=w.ranks, m=8, n=8, local=w.local)),
    "Matrix.from_array": (lambda w: cuboid.Matrix.from_array, lambda w: dict(
        communicator=w.ranks, whole=numpy.eye(8), block=(2, 2), grid=(1, w.ranks.size))),
    "Matrix.to_array": (lambda w: w.square.to_array, lambda w: {}),
    "Matrix.global_indices": (lambda w: w.square.global_indices, lambda w: {}),
    "Matrix.fill_random": (lambda w: w.square.like().fill_random, lambda w: dict(seed=0)),
    "Matrix.like": (lambda w: w.square.like, lambda w: dict(m=3, n=3)),
    "Multiplication.__init__": (lambda w: cuboid.Multiplication, lambda w: dict(
        a=w.square, b=w.square, c=w.square, op_a="N", op_b="N", algorithm="summa")),
    "Multiplication.run": (lambda w: w.planned.run, lambda w: dict(
        a=w.square, b=w.square, c=w.square.like(), alpha=1.0, beta=0.0)),
    "Multiplication.free": (lambda w: w.planned.free, lambda w: {}),
    "Factorisation.__init__": (lambda w: cuboid.Factorisation, lambda w: {}),
    "Factorisation.solve": (lambda w: w.factors.solve, lambda w: dict(b=w.right, op="N")),
    "Factorisation.refine": (lambda w: w.factors.refine, lambda w: dict(a=w.square, b=w.right, x=w.right, steps=1)),
    "Factorisation.inverse": (lambda w: w.factors.inverse, lambda w: dict(x=w.square.like())),
    "Factorisation.copy_to": (lambda w: w.factors.copy_to, lambda w: dict(factors=w.square.like())),
    "Factorisation.determinant": (lambda w: w.factors.determinant, lambda w: {}),
    "Factorisation.reciprocal_condition": (lambda w: w.factors.reciprocal_condition, lambda w: dict(ord=1)),
    "QrFactorisation.__init__": (lambda w: cuboid.QrFactorisation, lambda w: {}),
    "QrFactorisation.q": (lambda w: w.orthogonal.q, lambda w: dict(columns=3)),
    "QrFactorisation.r": (lambda w: w.orthogonal.r, lambda w: {}),
    "QrFactorisation.copy_to": (lambda w: w.orthogonal.copy_to, lambda w: dict(factors=w.square.like())),
    "QrFactorisation.apply": (lambda w: w.orthogonal.apply, lambda w: dict(c=w.right, op="N", side="left")),
    "QrFactorisation.lstsq": (lambda w: w.orthogonal.lstsq, lambda w: dict(b=w.right)),
    "multiply": (lambda w: cuboid.multiply, lambda w: dict(a=w.square, b=w.square, c=w.square.like(), alpha=1.0, beta=0.0,
                                                           op_a="N", op_b="N", algorithm="summa")),
    "redistribute": (lambda w: cuboid.redistribute, lambda w: dict(source=w.square, destination=w.square.like(), op="N")),
    "factorise": (lambda w: cuboid.factorise, lambda w: dict(a=w.square, pivoting="partial")),
    "inv": (lambda w: cuboid.inv, lambda w: dict(a=w.square)),
    "slogdet": (lambda w: cuboid.slogdet, lambda w: dict(a=w.square)),
    "cond": (lambda w: cuboid.cond, lambda w: dict(a=w.square, p=1)),
    "cholesky": (lambda w: cuboid.cholesky, lambda w: dict(a=w.square)),
    "qr": (lambda w: cuboid.qr, lambda w: dict(a=w.square)),
    "lstsq": (lambda w: cuboid.lstsq, lambda w: dict(a=w.square, b=w.right)),
    "solve": (lambda w: cuboid.solve, lambda w: dict(a=w.square, b=w.right)),
    "solve_mixed": (lambda w: cuboid.solve_mixed, lambda w: dict(a=w.square, b=w.right)),
    "norm": (lambda w: cuboid.norm, lambda w: dict(a=w.square, ord="fro")),
    "laset": (lambda w: cuboid.laset, lambda w: dict(a=w.square.like(), off_diagonal=0.0, diagonal=1.0, triangle="lower")),
    "lacpy": (lambda w: cuboid.lacpy, lambda w: dict(a=w.square, b=w.square.like(), triangle="lower")),
    "lascl": (lambda w: cuboid.lascl, lambda w: dict(a=w.square.like(), divisor=2.0, factor=1.0, triangle="lower")),
    "trsm": (lambda w: cuboid.trsm, lambda w: dict(a=w.square, b=w.right, side="left", triangle="lower", op="N", alpha=1.0)),
    "trtri": (lambda w: cuboid.trtri, lambda w: dict(a=w.square.like(), triangle="lower", unit_diagonal=True)),
    "syrk": (lambda w: cuboid.syrk, lambda w: dict(a=w.right, c=w.square.like(), triangle="lower", op="N", alpha=1.0, beta=0.0)),
    "herk": (lambda w: cuboid.herk, lambda w: dict(a=w.right, c=w.square.like(), triangle="lower", op="N", alpha=1.0, beta=0.0)),
    "syr2k": (lambda w: cuboid.syr2k, lambda w: dict(a=w.right, b=w.right, c=w.square.like(), triangle="lower", op="N",
                                                     alpha=1.0, beta=0.0)),
    "her2k": (lambda w: cuboid.her2k, lambda w: dict(a=w.right, b=w.right, c=w.square.like(), triangle="lower", op="N",
                                                     alpha=1.0, beta=0.0)),
    "symm": (lambda w: cuboid.symm, lambda w: dict(a=w.square, b=w.right, c=w.right.like(), side="left", triangle="lower",
                                                   alpha=1.0, beta=0.0)),
    "hemm": (lambda w: cuboid.hemm, lambda w: dict(a=w.square, b=w.right, c=w.right.like(), side="left", triangle="lower",
                                                   alpha=1.0, beta=0.0)),
    "trmm": (lambda w: cuboid.trmm, lambda w: dict(a=w.square, b=w.right, side="left", triangle="lower", op="N", alpha=1.0)),
    "run_ranks": (lambda w: cuboid.run_ranks, lambda w: dict(ranks=2, body=lambda ranks: None)),
    "model.machines": (lambda w: cuboid.model.machines, lambda w: {}),
}
for name, right in OF_ANY_FORM.items():
    for form, of in (("", lambda w: w.ranks), (".start", lambda w: w.ranks.start), (".plan", lambda w: w.ranks.plan)):
        function = name.split(" ")[0]
        ROWS[f"Collectives.{name}{form}"] = (lambda w, of=of, function=function: getattr(of(w), function), right)
for name in ("broadcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter", "alltoall"):
    ROWS[f"model.{name}"] = (lambda w, name=name: getattr(cuboid.model, name),
                             lambda w: dict(bytes=8, shape="torus:4x4", machine="bgp"))

# What only the root, rank 0, looks at.
OF_ROOT = {("reduce", "output"), ("gather", "output"), ("scatter", "input")}
# And what only the root compares with it.
COMPARED = {("reduce", "input"), ("gather", "input"), ("scatter", "output")}
# Wrong arguments that are right in these places.
RIGHT = {
    "Communicator.revoke": {"reason": {"nonsense"}},  # any text
    "Communicator.split": {"colour": {-1, 1 << 20}, "key": {-1, 1 << 20}},  # no part; any number
    "Communicator.on": {"stream": {1 << 20}},  # any address
    "Communicator.from_exchange": {"size": {1 << 20}},  # the function's answer is refused
    **{f"Collectives.{name}": {"input": {"list"}} for name in (
        "reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter with counts", "allgather", "gather",
        "scatter", "alltoall", "neighbour_allgather", "neighbour_alltoall")},
    "Collectives.broadcast": {"buffer": {"another length", "another type", "two dimensions"}},  # for others to judge
    "Collectives.send": {"message": {"another length", "another type", "two dimensions", "read-only", "list", "number"}},
    "Collectives.receive": {"message": {"another length", "another type", "two dimensions"}},
    "Collectives.exchange": {"outgoing": {"two dimensions", "list"}, "incoming": {"two dimensions"}},
    "Collectives.allgather with counts": {"input": {"list"}, "output": {"another length"}},  # blocks may lie apart
    "Collectives.alltoall with counts": {"input": {"another length", "list"}, "output": {"another length"}},
    "Neighbourhood.graph": {"sources": {"beyond", "negative"}, "destinations": {"beyond", "negative"}},  # collectives check
    "Neighbourhood.grid": {"wraps": {"beyond", "negative"}},  # are true
    "Matrix.wrap": {"local": {"another type"}},
    "Window.put": {"mine": {"another length", "another type", "two dimensions", "read-only"}},
    "Window.get": {"mine": {"another length", "another type", "two dimensions"}},
    "Matrix.from_array": {"whole": {"another length", "another type", "two dimensions", "read-only", "strided", "list"}},
    "Matrix.like": {"m": {1 << 20}, "n": {1 << 20}},
    "Matrix.__init__": {"m": {1 << 20}, "n": {1 << 20}},
    "Matrix.fill_random": {"seed": {1 << 20}},
    "factorise": {"a": {"another shape", "another type"}},
    "slogdet": {"a": {"another type"}},
    "cond": {"a": {"another type"}},
    "cholesky": {"a": {"another type"}},
    "Factorisation.solve": {"b": {"another shape"}},
    "solve": {"b": {"another shape"}},
    "solve_mixed": {"b": {"another shape"}},
    "norm": {"a": {"another shape", "another type"}},
    "qr": {"a": {"another shape", "another type"}},
    "lstsq": {"b": {"another shape"}},
    "QrFactorisation.apply": {"c": {"another shape"}},
    "QrFactorisation.lstsq": {"b": {"another shape"}},
    "laset": {"a": {"another shape", "another type"}},
    "lascl": {"a": {"another shape", "another type"}},
    "trsm": {"b": {"another shape"}},
    "trmm": {"b": {"another shape"}},
    "trtri": {"a": {"another type"}},
}


def wrong_arrays(right, name):
    flat = right.reshape(-1)
    read_only = right.copy()
    read_only.flags.writeable = False
    yield "text", "text"
    yield "number", 5
    yield "list", right.tolist()
    yield "objects", numpy.array([object()] * 6)
    yield "records of objects", numpy.zeros(6, [("a", "O"), ("b", "i4")])
    yield "no bytes", numpy.zeros(6, "V0")
    yield "big-endian", right.astype(">f8")
    yield "strided", numpy.ones((flat.size, 2))[:, 0]
    yield "another length", numpy.ones(flat.size + 1)
    yield "another type", right.astype("f4")
    if name not in ("input", "output", "outgoing"):
        yield "two dimensions", numpy.ones((2, 3))
    if name not in ("input", "outgoing", "buffer"):
        yield "read-only", read_only
    if name not in ("output",):
        yield "none", None


def wrong_values(world, right, name):
    """What is wrong where `right` is right, each with a label."""
    if isinstance(right, numpy.ndarray):
        yield from wrong_arrays(right, name)
    elif isinstance(right, bool):
        return
    elif isinstance(right, (int, float)):
        yield "text", "text"
        yield "complex", 1j
        if isinstance(right, int):
            yield "fraction", 1.5
            for number in (-1, 1 << 20, 1 << 70):
                if name not in ("bytes", "offset", "ranks", "steps", "size") or number != 1 << 20:
                    yield number, number
            if name in ("bytes", "offset"):
                yield "huge", (1 << 63) - 1
    elif isinstance(right, str):
        yield "nonsense", "no such thing"
        yield "number", 5
    elif isinstance(right, list):
        yield "text", "text"
        yield "number", 5
        yield "texts", ["a"] * len(right)
        yield "negative", [-2] * len(right)
        yield "beyond", [1 << 40] * len(right) if name not in ("sources", "destinations") else [1 << 20]
        if name not in ("sources", "destinations", "displacements"):
            yield "longer", right + right
            yield "none given", []
    elif isinstance(right, tuple):
        yield "text", "text"
        yield "one", (1,)
        yield "negative", (-1, -1)
        yield "too many", (1000, 1000) if name == "grid" else (1, -5)
        yield "half", (0, 5)
    elif isinstance(right, cuboid.Matrix):
        yield "array", numpy.eye(8)
        yield "none", None if name != "c" else 5
        yield "another shape", world.matrix(numpy.ones((5, 7)))
        yield "another type", world.matrix(numpy.ones(right.shape, "c16"))
    elif isinstance(right, (cuboid.Communicator, cuboid.Neighbourhood)):
        yield "none", None if name == "neighbours" else 3
        yield "text", "text"
        yield "list", [0]
        if isinstance(right, cuboid.Communicator):
            yield "freed", world.freed
    elif isinstance(right, numpy.dtype):
        for dtype in ("no type", "i4", "O", "f2"):
            yield dtype, dtype
    elif isinstance(right, cuboid.Operation):
        yield "text", "text"
        yield "none", None
        yield "of other types", cuboid.BITWISE_AND
        yield "of locations", cuboid.MINIMUM_LOCATION
    else:  # functions, and what the package itself makes
        yield "none", 5
        yield "text", "text"


def public_functions():
    """The names of all functions and methods of the package."""
    for name in cuboid.__all__:
        thing = getattr(cuboid, name)
        if inspect.ismodule(thing):
            for own, function in vars(thing).items():
                if inspect.isfunction(function) and not own.startswith("_"):
                    yield f"{name}.{own}"
        elif inspect.isclass(thing):
            if issubclass(thing, (tuple, Exception)):
                continue
            for own, method in vars(thing).items():
                method = inspect.unwrap(getattr(method, "__func__", method))
                if inspect.isfunction(method) and (own == "__init__" or not own.startswith("_")):
                    yield f"{name}.{own}"
        elif callable(thing):
            yield name


def misuses(world):
    """What is called wrongly: its name, the argument, what is wrong with it, and the call."""
    for name, (function, right) in ROWS.items():
        row = name.removesuffix(".start").removesuffix(".plan")
        for argument, value in right(world).items():
            excepted = RIGHT.get(row, {}).get(argument, ())
            place = (row.split(".")[-1], argument)
            if world.ranks.rank != 0 and place in OF_ROOT:
                continue
            for label, wrong in wrong_values(world, value, argument):
                if label in excepted:
                    continue
                if world.ranks.rank != 0 and place in COMPARED and label in ("another length", "another type", "number"):
                    continue
                arguments = {**right(world), argument: wrong}
                yield f"{name}({argument}={label})", lambda: function(world)(**arguments)
        yield f"{name}(nonsense)", lambda: function(world)(nonsense=1, **right(world))
        if "Collectives" in name or name.startswith("Communicator."):
            if name not in ("Communicator.__init__", "Communicator.from_mpi", "Communicator.from_pmix",
                            "Communicator.from_exchange", "Communicator.free"):
                freed = world.freed.start if ".start" in name else world.freed.plan if ".plan" in name else world.freed
                if name != "Collectives.__init__":
                    method = getattr(freed, row.split(".")[1].split(" ")[0])
                    yield f"{name}, freed", lambda: method(**right(world))
        kind, _, method_name = name.partition(".")
        if kind in world.ended and method_name not in ("__init__", "free"):
            method = getattr(world.ended[kind], method_name)
            yield f"{name}, freed", lambda: method(**right(world))


class Misuse(unittest.TestCase):
    def test_every_function_has_a_row(self):
        rows = {name.replace(".start", "").replace(".plan", "").split(" ")[0] if name.startswith("Collectives") else name
                for name in ROWS}
        self.assertEqual(set(public_functions()), rows)

    def on_ranks(self, ranks):
        world = World(ranks)
        number = 0
        wrong = []
        for what, call in misuses(world):
            number += 1
            try:
                call()
            except cuboid.Error as error:
                if error.code not in REFUSALS:
                    wrong.append(f"{what}: {error.code}: {error}")
            except (TypeError, ValueError, OverflowError, MemoryError):
                pass
            except BaseException as error:
                wrong.append(f"{what}: {type(error).__name__}: {error}")
            else:
                wrong.append(f"{what}: no error")
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreater(number, 800)
        # All is well afterwards.
        numpy.testing.assert_array_equal(ranks.allreduce(six()), ranks.size)
        numpy.testing.assert_array_equal(world.plan.run(), ranks.size)
        numpy.testing.assert_array_equal(cuboid.multiply(world.square, world.square).to_array(), numpy.eye(8))
        world.end()

    def test_every_function_with_wrong_arguments(self):
        if UNDER_MPI:
            with cuboid.Communicator.from_mpi(MPI.COMM_WORLD) as ranks:
                self.on_ranks(ranks)
        else:
            cuboid.run_ranks(2, self.on_ranks)


if __name__ == "__main__":
    unittest.main()
