"""The rows of misuse.txt that Python can express. Usage: misuse.py misuse.txt [compared]

With the second, the rows that only ranks that compare their calls find (CUBOID_CHECK=collective).
"""

import pathlib
import sys

import cuboid
import numpy

BLOCK = 4
RANKS = 3
HUGE = 2**63
ROOTED = {"gather", "gatherv", "scatter", "scatterv", "reduce"}
BY_ALL = ("nothing", "ranks_differ", "root", "reduction", "freed")


def rows_of(path, compared):
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split()
        if len(words) == 4 and not line.startswith("#") and "python" in words[3].split(","):
            if (words[1] == "ranks_differ") == compared:
                yield words[:3]


def outcome_of(call):
    """The code of the error that a call raises. ValueError and TypeError are Python's invalid_argument."""
    try:
        call()
    except cuboid.Error as error:
        return error.code
    except (ValueError, TypeError):
        return "invalid_argument"
    return "success"


class Call:
    """A collective with arguments that fit, which a misuse changes."""

    def __init__(self, ranks, name):
        self.ranks, self.name = ranks, name
        blocks_in = {"reduce_scatter": ranks.size, "scatter": ranks.size, "alltoall": ranks.size,
                     "neighbour_alltoall": 2}
        blocks_out = {"allgather": ranks.size, "gather": ranks.size, "alltoall": ranks.size,
                      "neighbour_allgather": 2, "neighbour_alltoall": 2}
        self.plain = name[:-1] if name.endswith("v") and name != "recv" else name
        self.v_form = self.plain != name
        here, there = blocks_in.get(self.plain, 1), blocks_out.get(self.plain, 1)
        memory = numpy.ones(8 * BLOCK * ranks.size)
        self.input = memory[:BLOCK * here]
        self.output = memory[4 * BLOCK * ranks.size:][:BLOCK * there]
        self.in_counts = [BLOCK] * here if self.v_form and self.plain in blocks_in else None
        self.out_counts = [BLOCK] * there if self.v_form and self.plain in blocks_out else None
        self.in_places = self.out_places = None
        self.operation = cuboid.SUM
        self.root = self.number = 0
        self.destination, self.source = (ranks.rank + 1) % ranks.size, (ranks.rank - 1) % ranks.size
        self.neighbours = cuboid.Neighbourhood.grid([ranks.size], [True], ranks.rank)

    def resize(self, more_in, more_out):
        self.input = numpy.ones(self.input.size + more_in)
        self.output = numpy.ones(self.output.size + more_out)

    def each_counts(self, change):
        for counts in (self.in_counts, self.out_counts):
            if counts is not None:
                change(counts)

    def wrap_counts(self, counts):
        counts[0] = counts[1] = HUGE

    def misuse(self, how):
        one = BLOCK if how == "ranks_differ" else 1
        if how == "ranks_differ":
            if self.ranks.rank == 1:
                self.resize(self.input.size // one, self.output.size // one)
        elif how in ("input_short", "input_long", "output_short", "output_long", "not_divisible"):
            more = -1 if how.endswith("short") else 1
            self.resize(0 if how.startswith("output") else more, 0 if how.startswith("input") else more)
        elif how == "counts_wrap":
            self.each_counts(self.wrap_counts)
        elif how == "counts_negative":
            self.each_counts(lambda counts: counts.__setitem__(0, -1))
        elif how == "counts_few":
            self.each_counts(lambda counts: counts.pop())
        elif how == "counts_of_one_side":
            self.out_counts = None
        elif how == "displacement_wraps":
            self.in_places = self.in_counts and [2**64 - 1] * len(self.in_counts)
            self.out_places = self.out_counts and [2**64 - 1] * len(self.out_counts)
        elif how == "root_negative":
            self.root = -1
        elif how == "root_large":
            self.root = self.ranks.size
        elif how == "destination_large":
            self.destination = self.ranks.size
        elif how == "source_negative":
            self.source = -1
        elif how == "number_negative":
            self.number = -1
        elif how == "number_large":
            self.number = 32768
        elif how == "types_differ":
            self.output = self.output.astype("i8")
        elif how == "reduction_undefined":
            self.operation = cuboid.BITWISE_AND
        elif how == "reduction_average":
            self.operation = cuboid.AVERAGE
        elif how == "overlap":
            memory = numpy.ones(self.input.size + self.output.size)
            self.input, self.output = memory[:self.input.size], memory[1:][:self.output.size]
        elif how != "nothing":
            raise KeyError(how)

    def make(self, form):
        to = {"now": self.ranks, "started": self.ranks.start, "planned": self.ranks.plan}[form]
        call = getattr(to, self.plain)
        is_root = self.ranks.rank == self.root
        lists = {"alltoall": 2, "neighbour_alltoall": 2, "reduce_scatter": 0, "scatter": 1}.get(self.plain, 1)
        counts = {}
        if lists == 2:
            counts = {"input_counts": self.in_counts, "output_counts": self.out_counts,
                      "input_displacements": self.in_places, "output_displacements": self.out_places}
        elif self.v_form:
            counts = {"counts": self.in_counts or self.out_counts}
            if self.plain != "reduce_scatter":
                counts["displacements"] = self.in_places or self.out_places
        arguments = {
            "broadcast": lambda: call(self.output, self.root),
            "reduce": lambda: call(self.input, self.output if is_root else None, self.operation, self.root),
            "allreduce": lambda: call(self.input, self.output, self.operation),
            "scan": lambda: call(self.input, self.output, self.operation),
            "exscan": lambda: call(self.input, self.output, self.operation),
            "reduce_scatter": lambda: call(self.input, self.output, self.operation, **counts),
            "allgather": lambda: call(self.input, self.output, **counts),
            "gather": lambda: call(self.input, self.output if is_root else None, self.root, **counts),
            "scatter": lambda: call(self.input if is_root else None, self.output, self.root, **counts),
            "alltoall": lambda: call(self.input, self.output, **counts),
            "neighbour_allgather": lambda: call(self.neighbours, self.input, self.output),
            "neighbour_alltoall": lambda: call(self.neighbours, self.input, self.output, **counts),
            "send": lambda: call(self.input, self.destination, self.number),
            "receive": lambda: call(self.output, self.source, self.number),
            "exchange": lambda: call(self.input, self.destination, self.output, self.source, self.number),
        }
        made = arguments[self.plain]()
        if form == "started":
            made.wait()
        elif form == "planned":
            made.run()


def other(ranks, name):
    """The call of a row that is no collective; None where it is not known."""
    square = lambda m=9, n=9: cuboid.Matrix(ranks, m, n).fill_random(1)
    mine = numpy.zeros(2)

    def window(act):
        with cuboid.Window(ranks, 8) as made:
            return act(made)

    return {
        "window_create huge_count": lambda: cuboid.Window(ranks, HUGE),
        "window_create_on_device negative_device": lambda: cuboid.Window(ranks, 8, device=-1),
        "matrix_create_on_device negative_device": lambda: cuboid.Matrix(ranks, 9, 9, device=-1),
        "window_put outside": lambda: window(lambda w: w.put(mine[:1], 0, 1)),
        "window_put peer_large": lambda: window(lambda w: w.put(mine[:1], ranks.size)),
        "window_get outside": lambda: window(lambda w: w.get(mine, 0)),
        "window_get peer_large": lambda: window(lambda w: w.get(mine[:1], ranks.size)),
        "matrix_create negative_size": lambda: cuboid.Matrix(ranks, -1, 9),
        "matrix_create huge_size": lambda: cuboid.Matrix(ranks, 2**40, 2**40),
        "matrix_create negative_block": lambda: cuboid.Matrix(ranks, 9, 9, block=(-1, -1)),
        "matrix_create grid_large": lambda: cuboid.Matrix(ranks, 9, 9, grid=(ranks.size + 1, 1)),
        "matrix_create type_unknown": lambda: cuboid.Matrix(ranks, 9, 9, "i4"),
        "multiply shapes_differ": lambda: cuboid.multiply(square(), square(8), square()),
        "multiply name_unknown": lambda: cuboid.multiply(square(), square(), square(), algorithm="none_such"),
        "redistribute shapes_differ": lambda: cuboid.redistribute(square(), square(8)),
        "cholesky shapes_differ": lambda: cuboid.cholesky(square(8)),
        "laset op_unknown": lambda: cuboid.laset(square(), triangle="none such"),
        "lacpy shapes_differ": lambda: cuboid.lacpy(square(), square(8)),
        "lascl zero_divisor": lambda: cuboid.lascl(square(), 0, 1),
        "trsm shapes_differ": lambda: cuboid.trsm(square(), square(8)),
        "trtri op_unknown": lambda: cuboid.trtri(square(), triangle="whole"),
        "trtri shapes_differ": lambda: cuboid.trtri(square(8)),
        "syrk shapes_differ": lambda: cuboid.syrk(square(), square(8)),
        "herk shapes_differ": lambda: cuboid.herk(square(), square(8)),
        "syr2k shapes_differ": lambda: cuboid.syr2k(square(), square(8), square()),
        "her2k shapes_differ": lambda: cuboid.her2k(square(), square(8), square()),
        "symm shapes_differ": lambda: cuboid.symm(square(), square(8), square()),
        "hemm shapes_differ": lambda: cuboid.hemm(square(), square(8), square()),
        "trmm shapes_differ": lambda: cuboid.trmm(square(), square(8)),
        "solve shapes_differ": lambda: cuboid.solve(square(), square(8)),
        "solve_mixed shapes_differ": lambda: cuboid.solve_mixed(square(), square(8)),
        "factorise op_unknown": lambda: cuboid.factorise(square(), "none such"),
        "refine negative_steps": lambda: cuboid.factorise(square()).refine(square(), square(), square(), -1),
        "qr_apply shapes_differ": lambda: cuboid.qr(square()).apply(square(8)),
        "least_squares shapes_differ": lambda: cuboid.lstsq(square(), square(8)),
        "neighbourhood_grid negative_extent": lambda: cuboid.Neighbourhood.grid([-2], [False], 0),
        "neighbourhood_grid rank_large":
            lambda: cuboid.Neighbourhood.grid([ranks.size], [True], ranks.size),
        "communicator_traffic peer_large": lambda: ranks.traffic(ranks.size),
        "communicator_with_algorithms name_unknown": lambda: ranks.with_algorithms("broadcast:none_such"),
        "topology_same_node rank_large": lambda: ranks.same_node(ranks.size),
        "communicator_from_pmix no_launcher": cuboid.Communicator.from_pmix,
        "run_ranks none": lambda: cuboid.run_ranks(0, lambda ranks: None),
    }.get(name)


def outcomes(ranks, operation, misuse):
    call = other(ranks, f"{operation} {misuse}")
    if call is not None:
        yield outcome_of(call)
        ranks.barrier()
        return
    for form in ("now", "started", "planned"):
        one = Call(ranks, operation)
        one.misuse(misuse)
        if operation not in ROOTED or misuse.startswith(BY_ALL) or ranks.rank == one.root:
            yield outcome_of(lambda: one.make(form))
        ranks.barrier()


def main():
    rows = list(rows_of(sys.argv[1], len(sys.argv) > 2))
    wrong = []

    def body(ranks):
        for operation, misuse, error in rows:
            for outcome in outcomes(ranks, operation, misuse):
                if outcome != error:
                    wrong.append(f"rank {ranks.rank}: {operation} with {misuse} ends in {outcome}, not in {error}")

    cuboid.run_ranks(RANKS, body)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
