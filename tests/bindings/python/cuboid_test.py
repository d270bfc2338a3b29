#!/usr/bin/env python3
"""The Python package against NumPy: on threads, or under mpirun on MPI's ranks."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

import numpy
from numpy.testing import assert_allclose, assert_array_equal

import cuboid

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "f2"]
UNDER_MPI = "OMPI_COMM_WORLD_SIZE" in os.environ
if UNDER_MPI:
    from mpi4py import MPI


def on_ranks(body):
    """A test's body(ranks): on MPI's ranks, or on some numbers of threads."""

    def test(self):
        if UNDER_MPI:
            with cuboid.Communicator.from_mpi(MPI.COMM_WORLD) as ranks:
                body(self, ranks)
        else:
            for number in (2, 3):
                cuboid.run_ranks(number, lambda ranks: body(self, ranks))

    return test


def of_rank(rank, shape=(3, 4), dtype="f8"):
    """What a rank has: small whole numbers, which every type adds up exactly."""
    values = (numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) + rank) % 5
    return (values * (1 + 1j)).astype(dtype) if numpy.dtype(dtype).kind == "c" else values.astype(dtype)


class Collectives(unittest.TestCase):
    @on_ranks
    def test_types_and_operations(self, ranks):
        for dtype in TYPES:
            everyone = [of_rank(r, dtype=dtype) for r in range(ranks.size)]
            mine = everyone[ranks.rank]
            assert_array_equal(ranks.allreduce(mine), numpy.sum(everyone, axis=0, dtype=dtype))
            assert_array_equal(ranks.allreduce(mine, operation=cuboid.PRODUCT),
                               numpy.prod(everyone, axis=0, dtype=dtype))
            if numpy.dtype(dtype).kind != "c":
                assert_array_equal(ranks.allreduce(mine, operation=cuboid.MAXIMUM),
                                   numpy.max(everyone, axis=0))
        flags = numpy.array([True, ranks.rank == 0])
        assert_array_equal(ranks.allreduce(flags, operation=cuboid.LOGICAL_AND), [True, ranks.size == 1])
        assert_allclose(ranks.allreduce(numpy.array(float(ranks.rank)), operation=cuboid.AVERAGE),
                        (ranks.size - 1) / 2)
        pair = numpy.zeros(1, numpy.dtype([("value", "f8"), ("index", "i4")], align=True))
        pair["value"], pair["index"] = -ranks.rank, ranks.rank
        assert_array_equal(ranks.allreduce(pair, operation=cuboid.MINIMUM_LOCATION)["index"], ranks.size - 1)

    @on_ranks
    def test_what_is_read_may_be_a_list_or_a_number(self, ranks):
        size, rank = ranks.size, ranks.rank
        assert_array_equal(ranks.allreduce([1, 2.5]), [size, 2.5 * size])
        self.assertEqual(ranks.allreduce(3), 3 * size)
        assert_array_equal(ranks.allgather([rank, 1]), [[r, 1] for r in range(size)])
        assert_array_equal(ranks.alltoall(range(size)), [rank] * size)
        assert_array_equal(ranks.start.scan([(1, 2)]).wait(), [[rank + 1, 2 * (rank + 1)]])
        assert_array_equal(ranks.reduce_scatter([1.0] * size, counts=numpy.ones(size, "i8")), [size])
        incoming = numpy.empty(2)
        ranks.exchange([1.0, rank], (rank + 1) % size, incoming, (rank - 1) % size)
        assert_array_equal(incoming, [1, (rank - 1) % size])
        assert_allclose(cuboid.multiply([[1, 2], [3, 4]], [5, 6], communicator=ranks), [17, 39])
        assert_allclose(cuboid.solve([[2, 0], [0, 4]], [2, 4], communicator=ranks), [1, 1])
        assert_array_equal(cuboid.Matrix.from_array(ranks, [[1.0, 2.0]], block=[1, 1]).to_array(), [[1, 2]])
        with self.assertRaisesRegex(TypeError, "give a NumPy array"):  # it would not see what is received
            ranks.broadcast([1, 2])
        with self.assertRaisesRegex(TypeError, "give a NumPy array, a list or a number"):
            ranks.allreduce("text")

    @on_ranks
    def test_all_operations(self, ranks):
        size, rank, root = ranks.size, ranks.rank, ranks.size - 1
        everyone = numpy.array([of_rank(r) for r in range(size)])
        mine = everyone[rank].copy()
        ranks.barrier()
        assert_array_equal(ranks.broadcast(mine.copy(), root), everyone[root])
        reduced = ranks.reduce(mine, root=root)
        assert_array_equal(reduced, everyone.sum(axis=0)) if rank == root else self.assertIsNone(reduced)
        assert_array_equal(ranks.scan(mine), everyone[: rank + 1].sum(axis=0))
        assert_array_equal(ranks.exscan(mine), everyone[:rank].sum(axis=0))
        assert_array_equal(ranks.allgather(mine), everyone)
        gathered = ranks.gather(mine, root=root)
        assert_array_equal(gathered, everyone) if rank == root else self.assertIsNone(gathered)
        assert_array_equal(ranks.scatter(everyone if rank == root else None, numpy.empty_like(mine), root), mine)
        assert_array_equal(ranks.reduce_scatter(everyone), size * mine)
        to_all = numpy.array([[10 * rank + r] * 3 for r in range(size)], dtype="i4")
        assert_array_equal(ranks.alltoall(to_all), [[10 * r + rank] * 3 for r in range(size)])
        incoming = numpy.empty_like(mine)
        ranks.exchange(mine, (rank + 1) % size, incoming, (rank - 1) % size, 3)
        assert_array_equal(incoming, everyone[rank - 1])
        if size > 1 and rank == 0:
            ranks.send(mine, 1)
        elif rank == 1:
            assert_array_equal(ranks.receive(incoming, 0), everyone[0])

    @on_ranks
    def test_blocks_of_different_lengths(self, ranks):
        size, rank = ranks.size, ranks.rank
        counts = list(range(size))
        everyone = numpy.concatenate([numpy.full(r, r) for r in range(size)])
        mine = numpy.full(rank, rank)
        assert_array_equal(ranks.allgather(mine, counts=counts), everyone)
        gathered = ranks.gather(mine, counts=counts)
        if rank == 0:
            assert_array_equal(gathered, everyone)
        assert_array_equal(ranks.scatter(everyone, numpy.empty_like(mine), counts=counts), mine)
        assert_array_equal(ranks.reduce_scatter(everyone, counts=counts), size * mine)
        places = [size * r for r in counts]
        apart = ranks.allgather(mine, numpy.full(size * size, -1), counts, places)
        assert_array_equal(apart[places[-1]: places[-1] + size - 1], size - 1)
        got = ranks.alltoall(numpy.full(rank * size, rank), input_counts=[rank] * size, output_counts=counts)
        assert_array_equal(got, everyone)

    @on_ranks
    def test_forms_and_in_place(self, ranks):
        size = ranks.size
        mine, total = numpy.full((4, 5), 1.0), numpy.empty((4, 5))
        request = ranks.start.allreduce(mine, total)
        while not request.test():
            pass
        self.assertIs(request.wait(), total)
        assert_array_equal(total, size)
        assert_array_equal(ranks.start.broadcast(mine).wait(), 1)
        plan = ranks.plan.allreduce(mine, total)
        self.assertTrue(plan.algorithm)
        for turn in range(3):
            mine[...] = turn
            assert_array_equal(plan.run(), turn * size)
        mine[...] = 7
        assert_array_equal(plan.start().wait(), 7 * size)
        plan.free()
        self.assertIs(ranks.allreduce(mine, mine), mine)
        assert_array_equal(mine, 7 * size)
        all_mine = numpy.zeros((size, 3))
        all_mine[ranks.rank] = ranks.rank
        ranks.allgather(all_mine[ranks.rank], all_mine)
        assert_array_equal(all_mine, [[r] * 3 for r in range(size)])
        ranks.start.barrier().wait()

    @on_ranks
    def test_orders_without_copies(self, ranks):
        array = numpy.asfortranarray(of_rank(ranks.rank, (4, 6)))
        total = ranks.allreduce(array)
        self.assertTrue(total.flags.f_contiguous)
        assert_array_equal(total, sum(of_rank(r, (4, 6)) for r in range(ranks.size)))
        self.assertEqual(ranks.allgather(array).shape, (4, 6, ranks.size))
        for refused, word in ((array[::2], "strided"), (array.astype(">f8"), "order")):
            with self.assertRaisesRegex(ValueError, word):
                ranks.broadcast(refused)
        with self.assertRaisesRegex(ValueError, "orders"):
            ranks.allreduce(array, numpy.empty((4, 6)))
        with self.assertRaisesRegex(ValueError, "both the same"):
            ranks.allreduce(array, numpy.empty((4, 6), "f4", order="F"))
        fixed = numpy.zeros(3)
        fixed.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "read-only"):
            ranks.allreduce(numpy.ones(3), fixed)
        with self.assertRaisesRegex(ValueError, "elements"):
            ranks.allreduce(numpy.ones(3), numpy.empty(2))

    @on_ranks
    def test_own_operation_and_type(self, ranks):
        last = cuboid.Operation(lambda left, right: right, commutative=False)
        assert_array_equal(ranks.allreduce(numpy.full(5, ranks.rank), operation=last), ranks.size - 1)
        item = numpy.array([(ranks.rank, b"text")], dtype=[("rank", "i4"), ("text", "S9")])
        assert_array_equal(ranks.allgather(item)["rank"].ravel(), range(ranks.size))
        biggest = cuboid.Operation(lambda a, b: numpy.where(a["rank"] > b["rank"], a, b))
        self.assertEqual(ranks.allreduce(item, operation=biggest)["rank"][0], ranks.size - 1)

    @on_ranks
    def test_neighbours(self, ranks):
        size, rank = ranks.size, ranks.rank
        ring = cuboid.Neighbourhood.grid([size], [True], rank)
        both = numpy.array([10 * rank, 10 * rank + 1])
        got = ranks.neighbour_alltoall(ring, both, numpy.empty_like(both))
        assert_array_equal(got, [10 * ((rank - 1) % size) + 1, 10 * ((rank + 1) % size)])
        # Two elements to the left, one to the right: so one comes from the left, two from the right.
        three = numpy.array([10 * rank, 10 * rank + 1, 10 * rank + 2])
        left, right = 10 * ((rank - 1) % size), 10 * ((rank + 1) % size)
        got = ranks.neighbour_alltoall(ring, three, numpy.empty_like(three), [2, 1], [1, 2])
        assert_array_equal(got, [left + 2, right, right + 1])
        got = ranks.neighbour_alltoall(ring, three, numpy.full(5, -1), [1, 1], [1, 1], [2, 0], [0, 4])
        assert_array_equal(got, [left, -1, -1, -1, right + 2])
        with self.assertRaises(ValueError):
            ranks.neighbour_alltoall(ring, three, three.copy(), [2, 1])
        with self.assertRaisesRegex(ValueError, "1 counts and 0 displacements for 2 neighbours"):
            ranks.neighbour_alltoall(ring, three, three.copy(), [2], [1, 2])
        with self.assertRaisesRegex(ValueError, "counts and 0 displacements"):
            ranks.allgather(three, numpy.tile(three, size), counts=[3] * (size + 1))
        got = ranks.neighbour_allgather(ring, both[:1].copy(), numpy.empty_like(both))
        assert_array_equal(got, [10 * ((rank - 1) % size), 10 * ((rank + 1) % size)])
        with self.assertRaisesRegex(ValueError, "output has 2 elements where 2 neighbours with 2 each need 4"):
            ranks.neighbour_allgather(ring, both, numpy.empty_like(both))
        with self.assertRaisesRegex(ValueError, "output has 2 elements where 2 neighbours with 2 each need 4"):
            ranks.neighbour_alltoall(ring, numpy.stack([both, both]), numpy.empty_like(both))
        with self.assertRaisesRegex(ValueError, "input has 1 elements where 2 neighbours"):
            ranks.neighbour_alltoall(ring, both[:1].copy(), numpy.empty_like(both))


class Division(Exception):
    pass


class OwnOperations(unittest.TestCase):
    """What an operation raises ends the collective, there by this exception, elsewhere by an Error."""

    def ends(self, ranks, function, kinds, words):
        """The function gets this rank, left and right; kinds are what it may raise."""
        operation = cuboid.Operation(lambda left, right: function(ranks.rank, left, right))
        part = ranks.duplicate()
        ended = None
        try:
            part.allreduce(numpy.arange(6.0), operation=operation)
        except (cuboid.Error,) + kinds as error:
            ended = error
        self.assertIsNotNone(ended, f"rank {ranks.rank} was told nothing")
        self.assertRegex(str(ended), words)
        if not isinstance(ended, kinds):
            self.assertEqual(ended.code, "peer_failed")
            self.assertRegex(str(ended), r"rank \d+ on .*: the reduction threw an exception")
        with self.assertRaisesRegex(cuboid.Error, "no longer usable"):
            part.barrier()
        assert_array_equal(ranks.allreduce(numpy.ones(3)), ranks.size)

    @on_ranks
    def test_that_raise(self, ranks):
        if ranks.size == 1:
            return

        def divide(rank, left, right):
            raise Division("by zero")

        self.ends(ranks, divide, (Division,), "by zero")
        self.ends(ranks, lambda rank, left, right: left.nonsense, (AttributeError,), "nonsense")

    @on_ranks
    def test_that_return_nonsense(self, ranks):
        if ranks.size == 1:
            return
        self.ends(ranks, lambda rank, left, right: left[:1], (ValueError,), "for 6 elements")
        self.ends(ranks, lambda rank, left, right: 1.0, (ValueError,), "for 6 elements")
        self.ends(ranks, lambda rank, left, right: None, (ValueError,), "for 6 elements")
        self.ends(ranks, lambda rank, left, right: left + 1j, (TypeError,), "cast")

    @on_ranks
    def test_that_keep_and_change_what_they_get(self, ranks):
        kept = []

        def add(left, right):
            kept.append(left)
            left += right
            return left

        mine = numpy.full(1000, 1.0)
        for _ in range(3):
            assert_array_equal(ranks.allreduce(mine, operation=cuboid.Operation(add)), ranks.size)
        assert_array_equal(mine, 1)
        self.assertTrue(all(0 < array.sum() <= 1000 * ranks.size for array in kept))


class Lives(unittest.TestCase):
    """Whatever is freed too early is kept, or said."""

    @on_ranks
    def test_plans_that_are_freed_in_flight(self, ranks):
        for turn in range(100):
            plan = ranks.plan.allreduce(numpy.full(5000, float(turn)),
                                        operation=cuboid.Operation(lambda left, right: left + right))
            request = plan.start()
            plan.free()
            self.assertIn("freed", repr(plan))
            del plan
            others = [numpy.full(5000, -1.0) for _ in range(4)]  # where the input would lie
            assert_array_equal(request.wait(), turn * ranks.size)
            del others

    @on_ranks
    def test_memory_of_windows_that_are_freed(self, ranks):
        window = cuboid.Window(ranks, 80)
        memory = window.memory("f8")
        memory[:] = 7
        window.free()
        window.free()
        ranks.barrier()
        assert_array_equal(memory, 7)
        with self.assertRaisesRegex(ValueError, "freed"):
            window.fence()

    @on_ranks
    def test_what_is_freed_says_so(self, ranks):
        part = ranks.duplicate()
        forms = (part, part.start, part.plan)
        part.free()
        for form in forms:
            self.assertIn("freed", repr(form))
            with self.assertRaisesRegex(ValueError, "this communicator has been freed"):
                form.barrier()
            with self.assertRaisesRegex(ValueError, "this communicator has been freed"):
                form.allreduce(numpy.ones(3))
        with self.assertRaisesRegex(ValueError, "freed"):
            cuboid.Matrix(part, 3, 3)
        with self.assertRaisesRegex(ValueError, "freed"):
            cuboid.Window(part, 3)
        A = cuboid.Matrix.from_array(ranks, numpy.eye(8))
        planned = cuboid.Multiplication(A, A, A.like())
        planned.free()
        with self.assertRaisesRegex(ValueError, "freed"):
            planned.run(A, A, A.like())

    @unittest.skipIf(UNDER_MPI, "threads")
    def test_what_outlives_its_rank(self):
        kept = []
        cuboid.run_ranks(2, lambda ranks: kept.append((ranks, cuboid.Matrix(ranks, 4, 4).local)))
        for ranks, local in kept:
            with self.assertRaisesRegex(ValueError, "freed"):
                ranks.barrier()
            local[...] = 1


class Ends(unittest.TestCase):
    """A rank that ends by an exception: the others are told at once by which."""

    def body(self, of, told):
        """A rank 1 that raises while `of(ranks)` is open, and others that wait there."""

        def run(ranks):
            try:
                with of(ranks) as opened:
                    if ranks.rank == 1:
                        raise KeyError("the second rank")
                    (opened.fence if isinstance(opened, cuboid.Window) else opened.barrier)()
            except cuboid.Error as error:
                told.append(str(error))
                raise

        return run

    @unittest.skipIf(UNDER_MPI, "threads")
    def test_of_threads(self):
        for of in (lambda ranks: cuboid.Window(ranks, 8), lambda ranks: ranks.duplicate(), lambda ranks: ranks):
            told = []
            with self.assertRaisesRegex(KeyError, "the second rank"):
                cuboid.run_ranks(3, self.body(of, told))
            self.assertEqual(len(told), 2)
            for text in told:
                self.assertRegex(text, "rank 1 on .*KeyError: 'the second rank'")

    @unittest.skipIf(UNDER_MPI, "threads")
    def test_of_a_body_that_keeps_what_waits_for_others(self):
        def body(ranks):
            window = cuboid.Window(ranks, 8)
            request = ranks.start.receive(numpy.empty(3), (ranks.rank + 1) % ranks.size)
            if ranks.rank == 1:
                raise KeyError("the second rank")
            request.wait()
            window.fence()

        with self.assertRaisesRegex(KeyError, "the second rank"):
            cuboid.run_ranks(3, body)

    @unittest.skipUnless(UNDER_MPI, "processes")
    def test_of_processes(self):
        world = MPI.COMM_WORLD
        if world.size == 1:
            return
        told = []
        run = self.body(lambda ranks: ranks, told)
        ranks = cuboid.Communicator.from_mpi(world)
        with self.assertRaisesRegex(KeyError if world.rank == 1 else cuboid.Error, "the second rank"):
            run(ranks)

    @unittest.skipUnless(UNDER_MPI, "processes")
    def test_of_a_block_of_a_part(self):
        with cuboid.Communicator.from_mpi(MPI.COMM_WORLD) as ranks:
            if ranks.size == 1:
                return
            told = []
            with self.assertRaisesRegex(KeyError if ranks.rank == 1 else cuboid.Error, "the second rank"):
                self.body(lambda ranks: ranks.duplicate(), told)(ranks)
            assert_array_equal(ranks.allreduce(numpy.ones(3)), ranks.size)  # the others are well

    @unittest.skipIf(UNDER_MPI, "starts processes of its own")
    def test_of_programs(self):
        program = """
            import os, pickle, sys, time
            import cuboid
            rank, folder = int(sys.argv[1]), sys.argv[2]
            rounds = 0
            def exchange(mine):
                global rounds
                rounds += 1
                name = lambda of: os.path.join(folder, f"{rounds}.{of}")
                with open(name(rank) + ".new", "wb") as file:
                    file.write(mine)
                os.rename(name(rank) + ".new", name(rank))
                parts = []
                for other in range(2):
                    while not os.path.exists(name(other)):
                        time.sleep(0.001)
                    with open(name(other), "rb") as file:
                        parts.append(file.read())
                return parts
            ranks = cuboid.Communicator.from_exchange(rank, 2, exchange)
            ranks.barrier()
            if rank == 1:
                raise KeyError("the second rank")
            ranks.barrier()
            """
        with tempfile.TemporaryDirectory() as folder:
            started = [python(program, str(rank), folder) for rank in range(2)]
            said = [one.communicate(timeout=200)[1] for one in started]
        self.assertRegex(said[0], "rank 1 on .* gave up: KeyError: 'the second rank'")

    @unittest.skipIf(UNDER_MPI, "threads")
    def test_by_an_interrupt(self):
        for waits in ("ranks.receive(numpy.empty(1), 1 - ranks.rank)", "cuboid.Window(ranks, 8).get"
                      "(numpy.empty(1), 0), ranks.receive(numpy.empty(1), 1 - ranks.rank)", "endless()"):
            program = f"""
                import sys, numpy, cuboid
                def endless():
                    while True:
                        pass
                def body(ranks):
                    ranks.barrier()
                    if ranks.rank == 0:
                        print("ready", flush=True)
                    {waits}
                cuboid.run_ranks(2, body)
                """
            started = python(program)
            self.assertEqual(started.stdout.readline().strip(), "ready")
            started.send_signal(signal.SIGINT)
            said = started.communicate(timeout=200)[1]
            self.assertRegex(said, "KeyboardInterrupt", waits)
            self.assertEqual(started.returncode, -signal.SIGINT, said)

    def test_exchanges_of_wrong_lengths(self):
        for exchange, kind, words in ((lambda mine: [mine] * 3, ValueError, "3 parts; return one of each of the 2"),
                                      (lambda mine: [mine + b"x", mine], ValueError, "bytes where every rank gave"),
                                      (lambda mine: [1, 2], TypeError, "bytes"),
                                      (lambda mine: None, TypeError, "iter"),
                                      (lambda mine: 1 / 0, ZeroDivisionError, "zero")):
            with self.assertRaisesRegex(kind, words):
                cuboid.Communicator.from_exchange(0, 2, exchange)

    def test_errors_can_be_sent(self):
        for error in (cuboid.Error("timeout", "too late"), cuboid.InvalidArgument("invalid_argument", "no")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), copy.code, str(copy)), (type(error), error.code, str(error)))

    @unittest.skipIf(UNDER_MPI, "starts a process of its own")
    def test_numpy_is_there_before_threads_are(self):
        started = python("""
            import sys, cuboid, numpy
            for name in ("numpy.core.multiarray", "numpy._core.multiarray"):
                sys.modules[name] = None  # which makes an import of it an error
            cuboid.run_ranks(2, lambda ranks: cuboid.Matrix(ranks, 3, 3).local.sum())
            """)
        said = started.communicate(timeout=200)[1]
        self.assertEqual(started.returncode, 0, said)


def python(program, *arguments):
    """A process that runs a program, and has time."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(program), *arguments], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "CUBOID_TIMEOUT": "1000"})


class Groups(unittest.TestCase):
    @on_ranks
    def test_communicators(self, ranks):
        part = ranks.split(0 if ranks.rank % 2 == 0 else -1)
        self.assertEqual(part is None, ranks.rank % 2 == 1)
        if part is not None:
            self.assertEqual(part.size, (ranks.size + 1) // 2)
        with ranks.duplicate() as copy:
            copy.barrier()
        ranks.with_algorithms("broadcast:binomial").broadcast(numpy.zeros(1))
        ranks.progress()
        self.assertEqual(ranks.traffic().messages_sent > 0, ranks.size > 1)
        self.assertTrue(ranks.same_node(ranks.rank))
        if ranks.shape:
            self.assertEqual(len(ranks.coordinate()), len(ranks.shape))
            self.assertGreaterEqual(ranks.line(0).size, 1)
        seconds, algorithm = ranks.predict("allreduce", 1 << 20)
        self.assertTrue(seconds >= 0 and algorithm)

    @on_ranks
    def test_errors(self, ranks):
        with self.assertRaisesRegex(cuboid.Error, "root") as raised:
            ranks.broadcast(numpy.zeros(1), root=ranks.size)
        self.assertEqual(raised.exception.code, "invalid_argument")

    @on_ranks
    def test_windows(self, ranks):
        right = (ranks.rank + 1) % ranks.size
        with cuboid.Window(ranks, 16) as window:
            window.put(numpy.array([ranks.rank]), right, 8)
            window.fence()
            self.assertEqual(window.memory("i8")[1], (ranks.rank - 1) % ranks.size)
            got = numpy.array([-1])
            window.get(got, right, 8)
            window.flush()
            self.assertEqual(got[0], ranks.rank)
            window.fence()

    @unittest.skipIf(UNDER_MPI, "threads")
    def test_a_body_that_fails(self):
        def body(ranks):
            if ranks.rank == 1:
                raise KeyError("the second rank")
            ranks.barrier()

        with self.assertRaisesRegex(KeyError, "second"):
            cuboid.run_ranks(3, body)

    @unittest.skipUnless(UNDER_MPI, "needs ranks that something else connects")
    @unittest.skipIf(os.environ.get("CUBOID_TRANSPORT") == "mpi", "MPI connects ranks that it started")
    def test_exchange(self):
        world = MPI.COMM_WORLD
        with cuboid.Communicator.from_exchange(world.rank, world.size, world.allgather) as ranks:
            self.assertEqual(ranks.allreduce(numpy.ones(1))[0], world.size)


class Matrices(unittest.TestCase):
    @on_ranks
    def test_products(self, ranks):
        random = numpy.random.default_rng(1)
        for dtype in ("f4", "f8", "c8", "c16"):
            a, b = ((random.standard_normal(s) * (1 + 1j)).astype(dtype, casting="unsafe")
                    for s in ((17, 13), (13, 19)))
            A = cuboid.Matrix.from_array(ranks, a, block=(3, 4))
            B = cuboid.Matrix.from_array(ranks, b)
            close = {"rtol": 1e-4, "atol": 1e-4} if dtype in ("f4", "c8") else {"rtol": 1e-10}
            C = cuboid.multiply(A, B)
            assert_allclose(C.to_array(), a @ b, **close)
            cuboid.multiply(A, B, C, alpha=2, beta=-1)
            assert_allclose(C.to_array(), a @ b, **close)
            assert_allclose(cuboid.multiply(A, A, op_b="C").to_array(), a @ a.conj().T, **close)
            assert_allclose(cuboid.multiply(a, b, communicator=ranks), a @ b, **close)
            planned = cuboid.Multiplication(A, B, C, algorithm="summa")
            self.assertEqual(planned.algorithm, "summa")
            assert_allclose(planned.run(A, B, C).to_array(), a @ b, **close)
            planned.free()
        with self.assertRaisesRegex(ValueError, "op_a"):
            cuboid.multiply(A, B, op_a="Q")
        with self.assertRaises(cuboid.Error):
            cuboid.multiply(A, A)

    @on_ranks
    def test_parts(self, ranks):
        M = cuboid.Matrix(ranks, 10, 6, block=(2, 2))
        rows, columns = M.global_indices()
        if M.local.size > 0:
            M.local[...] = rows[:, None] * 10 + columns
        assert_array_equal(M.to_array(), numpy.arange(10)[:, None] * 10 + numpy.arange(6))
        memory = numpy.full((M.local.shape[0] + 2, max(M.local.shape[1], 1)), -1.0, order="F")
        part = memory[: M.local.shape[0], : M.local.shape[1]]
        W = cuboid.Matrix.wrap(ranks, 10, 6, part, block=(2, 2))
        cuboid.redistribute(M, W)
        assert_array_equal(part, M.local)
        assert_array_equal(memory[-2:], -1)
        T = cuboid.redistribute(M, cuboid.Matrix(ranks, 6, 10), "T")
        assert_array_equal(T.to_array(), M.to_array().T)
        with self.assertRaisesRegex(ValueError, "Fortran"):
            cuboid.Matrix.wrap(ranks, 10, 6, numpy.zeros((10, 6)))

    @on_ranks
    def test_parts_without_rows_or_columns(self, ranks):
        # One block: all but one rank have nothing.
        M = cuboid.Matrix(ranks, 50, 50, block=(64, 64))
        rows, columns = M.global_indices()
        self.assertEqual(M.local.shape, (len(rows), len(columns)))
        M.local[...] = rows[:, None] * 50 + columns
        assert_array_equal(M.to_array(), numpy.arange(2500).reshape(50, 50))
        for m, n, k in ((0, 3, 4), (4, 3, 0), (4, 0, 3), (0, 0, 0)):
            a, b = numpy.ones((m, k)), numpy.ones((k, n))
            product = cuboid.multiply(a, b, communicator=ranks)
            self.assertEqual(product.shape, (m, n))
            assert_array_equal(product, a @ b)
        ranks.barrier()

    @on_ranks
    def test_vectors(self, ranks):
        a, v = numpy.arange(12.0).reshape(3, 4), numpy.arange(4.0)
        assert_array_equal(cuboid.multiply(a, v, communicator=ranks), a @ v)
        assert_array_equal(cuboid.multiply(v, a.T.copy(), communicator=ranks), v @ a.T)
        self.assertEqual(cuboid.multiply(v, v, communicator=ranks), v @ v)
        with self.assertRaisesRegex(ValueError, r"shape \(4,\) is no matrix"):
            cuboid.Matrix.from_array(ranks, v)

    @on_ranks
    def test_parts_of_wrong_shapes(self, ranks):
        rows, columns = cuboid.Matrix(ranks, 40, 40, block=(4, 4)).local.shape
        for more_rows, more_columns in ((-1, 0), (1, 0), (0, -1), (0, 1), (-rows, -columns)):
            part = numpy.zeros((rows + more_rows, columns + more_columns), order="F")
            with self.assertRaises(ValueError):
                cuboid.Matrix.wrap(ranks, 40, 40, part, block=(4, 4))
        with self.assertRaisesRegex(TypeError, "a matrix of int64: give float32"):
            cuboid.Matrix.wrap(ranks, 40, 40, numpy.zeros((rows, columns), "i8", order="F"), block=(4, 4))

    @on_ranks
    def test_solves(self, ranks):
        random = numpy.random.default_rng(2)
        a, b = random.standard_normal((23, 23)), random.standard_normal((23, 4))
        A = cuboid.Matrix.from_array(ranks, a, block=(4, 4))
        factors = cuboid.factorise(A, "partial")
        self.assertEqual(factors.info, 0)
        self.assertTrue(factors.is_finite)
        self.assertFalse(cuboid.factorise(cuboid.Matrix.from_array(ranks, numpy.full((5, 5), numpy.nan))).is_finite)
        self.assertEqual(len(factors.pivots), 23)
        B = cuboid.Matrix.from_array(ranks, b)
        assert_allclose(factors.solve(B).to_array(), numpy.linalg.solve(a, b), rtol=1e-8)
        factors.refine(A, cuboid.Matrix.from_array(ranks, b), B)
        assert_allclose(B.to_array(), numpy.linalg.solve(a, b), rtol=1e-8)
        sign, logarithm = factors.determinant()
        expected = numpy.linalg.slogdet(a)
        assert_allclose([sign.real, logarithm], [expected[0], expected[1]], rtol=1e-8)
        inverse = factors.inverse(A.like()).to_array()
        assert_allclose(inverse @ a, numpy.eye(23), atol=1e-8)
        for order in (1, numpy.inf):
            exact = 1 / numpy.linalg.cond(a, order)
            self.assertTrue(0.99 * exact < factors.reciprocal_condition(order) < 3 * exact)
            assert_allclose(cuboid.cond(A, order) * factors.reciprocal_condition(order), 1, rtol=1e-8)
        assert_allclose(cuboid.inv(A).to_array() @ a, numpy.eye(23), atol=1e-8)
        assert_allclose(numpy.real(cuboid.slogdet(A)), numpy.linalg.slogdet(a), rtol=1e-8)
        self.assertEqual(cuboid.cond(cuboid.Matrix.from_array(ranks, numpy.ones((3, 3))), 1), numpy.inf)
        self.assertEqual(factors.reciprocal_condition(), factors.reciprocal_condition(1))
        with self.assertRaisesRegex(ValueError, "one or infinity"):
            factors.reciprocal_condition("fro")
        self.assertEqual(cuboid.solve_mixed(A, X := cuboid.Matrix.from_array(ranks, b)).method, "refinement")
        assert_allclose(X.to_array(), numpy.linalg.solve(a, b), rtol=1e-8)
        with self.assertRaisesRegex(ValueError, "single precision"):
            cuboid.solve_mixed(*(cuboid.Matrix.from_array(ranks, array.astype("f4")) for array in (a, b)))
        for order in ("fro", 1, numpy.inf):
            assert_allclose(cuboid.norm(A, order), numpy.linalg.norm(a, order))
        assert_allclose(cuboid.norm(A, "max"), abs(a).max())
        with self.assertRaises(ValueError):
            cuboid.norm(A, 2)
        assert_allclose(cuboid.solve(a, b[:, 0], communicator=ranks), numpy.linalg.solve(a, b[:, 0]), rtol=1e-8)
        s = a @ a.T
        S = cuboid.Matrix.from_array(ranks, s)
        L = cuboid.cholesky(S).copy_to(cuboid.Matrix(ranks, 23, 23))
        assert_allclose(numpy.tril(L.to_array()), numpy.linalg.cholesky(s), rtol=1e-6, atol=1e-9)
        X = cuboid.trsm(L, cuboid.Matrix.from_array(ranks, b))
        assert_allclose(numpy.tril(L.to_array()) @ X.to_array(), b, rtol=1e-7, atol=1e-9)
        assert_allclose(numpy.tril(cuboid.trtri(L).to_array()), numpy.linalg.inv(numpy.linalg.cholesky(s)), atol=1e-6)
        assert_allclose(cuboid.cholesky(S).inverse(S.like()).to_array() @ s, numpy.eye(23), atol=1e-6)

    @on_ranks
    def test_sets_copies_and_scales(self, ranks):
        a = numpy.random.default_rng(5).standard_normal((7, 4))
        A = cuboid.Matrix.from_array(ranks, a, block=(2, 3))
        for triangle, part in (("lower", numpy.tril), ("upper", numpy.triu), ("whole", lambda whole: whole)):
            B = cuboid.laset(cuboid.Matrix(ranks, 7, 4), 2, 3)
            assert_array_equal(B.to_array(), numpy.full((7, 4), 2) + numpy.eye(7, 4))
            cuboid.laset(cuboid.lacpy(A, B), 0, 5, triangle=triangle)
            assert_array_equal(B.to_array(), a - part(a) + 5 * numpy.eye(7, 4))
            cuboid.laset(B, 0, 0)
            assert_array_equal(cuboid.lacpy(A, B, triangle=triangle).to_array(), part(a))
            assert_array_equal(cuboid.lascl(B, 1e-300, 4e-300, triangle=triangle).to_array(), 4 * part(a))

    @on_ranks
    def test_products_with_a_triangle(self, ranks):
        random = numpy.random.default_rng(4)

        def complex_normal(*shape):
            return random.standard_normal(shape) + 1j * random.standard_normal(shape)

        def matrix(whole):
            return cuboid.Matrix.from_array(ranks, whole)

        a, b, c = complex_normal(11, 5), complex_normal(11, 5), complex_normal(11, 11)
        s = c + c.T
        lower = numpy.tril(numpy.ones((11, 11), bool))
        for got, wanted in ((cuboid.syrk(matrix(a), matrix(c), alpha=2j, beta=3), 2j * a @ a.T + 3 * c),
                            (cuboid.syr2k(matrix(a), matrix(b), matrix(c)), a @ b.T + b @ a.T)):
            assert_allclose(got.to_array(), numpy.where(lower, wanted, c), rtol=1e-10, atol=1e-12)
        hermitian = cuboid.herk(matrix(a), matrix(c), alpha=2, triangle="upper")
        assert_allclose(numpy.triu(hermitian.to_array()), numpy.triu(2 * a @ a.conj().T), atol=1e-12)
        double = cuboid.her2k(matrix(a.T), matrix(b.T), matrix(c), alpha=1j, op="C")
        assert_allclose(numpy.tril(double.to_array()), numpy.tril(1j * a.conj() @ b.T - 1j * b.conj() @ a.T), atol=1e-12)
        assert_allclose(cuboid.symm(matrix(numpy.tril(s)), matrix(b), matrix(a), beta=1).to_array(), s @ b + a, atol=1e-12)
        h = c + c.conj().T
        assert_allclose(cuboid.hemm(matrix(numpy.triu(h)), matrix(b.T), matrix(a.T), side="right", triangle="upper").to_array(),
                        b.T @ h, atol=1e-12)
        assert_allclose(cuboid.trmm(matrix(c), matrix(b), op="T", alpha=2).to_array(), 2 * numpy.tril(c).T @ b, atol=1e-12)

    @on_ranks
    def test_least_squares(self, ranks):
        random = numpy.random.default_rng(3)
        for shape in ((23, 9), (9, 23), (12, 12)):
            for imaginary in (0, 1j):
                a = random.standard_normal(shape) + imaginary * random.standard_normal(shape)
                b = random.standard_normal((shape[0], 4))
                A = cuboid.Matrix.from_array(ranks, a, block=(4, 4))
                factors = cuboid.qr(A)
                self.assertEqual((factors.info, factors.is_finite, len(factors.taus)), (0, True, min(shape)))
                q, r = factors.q().to_array(), factors.r().to_array()
                assert_allclose(q @ r, a, atol=1e-12)
                assert_allclose(q.conj().T @ q, numpy.eye(min(shape)), atol=1e-12)
                assert_allclose(abs(numpy.tril(r, -1)).max(), 0)
                C = cuboid.Matrix.from_array(ranks, b.astype(a.dtype))
                full = factors.q(shape[0]).to_array()
                assert_allclose(factors.apply(C, "C").to_array(), full.conj().T @ b, atol=1e-12)
                assert_allclose(factors.copy_to(A.like()).to_array()[:, :1].shape, (shape[0], 1))
                expected = numpy.linalg.lstsq(a, b, rcond=None)[0]
                assert_allclose(cuboid.lstsq(a, b, communicator=ranks), expected, atol=1e-9)
                assert_allclose(cuboid.lstsq(a, b[:, 0], communicator=ranks), expected[:, 0], atol=1e-9)
                if shape[0] >= shape[1]:
                    B = cuboid.Matrix.from_array(ranks, b.astype(a.dtype))
                    assert_allclose(factors.lstsq(B).to_array(), expected, atol=1e-9)
        q, r = cuboid.qr(a.real, communicator=ranks)
        assert_allclose(abs(r), abs(numpy.linalg.qr(a.real)[1]), atol=1e-10)


class Model(unittest.TestCase):
    def test_predictions(self):
        self.assertIn("bgp", cuboid.model.machines())
        for name in ("broadcast", "reduce", "allreduce", "allgather", "reduce_scatter", "gather", "scatter", "alltoall"):
            predict = getattr(cuboid.model, name)
            short, long = predict(8, "torus:4x4"), predict(1 << 24, "torus:4x4")
            self.assertTrue(0 < short.seconds < long.seconds and long.algorithm, name)
        slow = cuboid.model.broadcast(1 << 20, "torus:4x4@100mbit")
        self.assertGreater(slow.seconds, cuboid.model.broadcast(1 << 20, "torus:4x4").seconds)
        with self.assertRaises(cuboid.Error):
            cuboid.model.broadcast(8, "no shape")
        with self.assertRaisesRegex(ValueError, "at most 1048576 are modelled"):
            cuboid.model.broadcast(1000, "torus:1000x1000x1000", "bgp")
        with self.assertRaisesRegex(ValueError, "the longest is"):
            cuboid.model.broadcast(1 << 62, "torus:4x4", "bgp")

    @on_ranks
    def test_names_that_do_not_exist(self, ranks):
        with self.assertRaisesRegex(ValueError, '"bcast"; give one of broadcast, reduce'):
            ranks.predict("bcast", 100)
        if not ranks.shape:
            with self.assertRaisesRegex(cuboid.Error, "no box of nodes: they have neither coordinates"):
                ranks.coordinate()


if __name__ == "__main__":
    unittest.main()
