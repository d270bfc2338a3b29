#!/usr/bin/env python3
"""Writes the drop-in's functions for MPI's collectives, in all forms and for C and Fortran, from a table of their arguments.

    write_symbols.py FOLDER

writes into the folder

    collectives.hpp                          what both languages call, in namespace cuboid::detail::drop_in
    c_symbols.cpp                            MPI_Bcast, MPI_Ibcast, … and what they call
    large_count_symbols.cpp                  MPI_Bcast_c, MPI_Ibcast_c, … (MPI 4)
    fortran_symbols.cpp                      Open MPI's subroutines under all spellings of their names
    persistent_symbols.cpp                   MPI_Bcast_init, … (MPI 4, or an extension of Open MPI 4.1)
    persistent_fortran_symbols.cpp           their subroutines

The build runs it. What a call does is written by hand: calls.hpp and forms.hpp.
"""

import pathlib
import sys

# Of each collective, its arguments before the communicator. The end of an argument's name says what it is.
BLOCKS = "send send_count send_type receive receive_count receive_type"
REDUCTION = "send receive count type op"
COLLECTIVES = {
    "barrier": "",
    "bcast": "buffer count type root",
    "reduce": REDUCTION + " root",
    "allreduce": REDUCTION,
    "scan": REDUCTION,
    "exscan": REDUCTION,
    "reduce_scatter": "send receive counts type op",
    "reduce_scatter_block": REDUCTION,
    "allgather": BLOCKS,
    "allgatherv": "send send_count send_type receive counts displacements receive_type",
    "gather": BLOCKS + " root",
    "gatherv": "send send_count send_type receive counts displacements receive_type root",
    "scatter": BLOCKS + " root",
    "scatterv": "send counts displacements send_type receive receive_count receive_type root",
    "alltoall": BLOCKS,
    "alltoallv": "send send_counts send_displacements send_type "
                 "receive receive_counts receive_displacements receive_type",
}

# By the end of an argument's name: its type in C, and its value in C where Fortran passes its address.
ARGUMENTS = {
    "buffer": ("void*", "address({})"),
    "send": ("const void*", "address({})"),
    "receive": ("void*", "address({})"),
    "count": ("int", "*{}"),
    "root": ("int", "*{}"),
    "counts": ("const int*", "{}"),
    "displacements": ("const int*", "{}"),
    "type": ("MPI_Datatype", "PMPI_Type_f2c(*{})"),
    "op": ("MPI_Op", "PMPI_Op_f2c(*{})"),
    "comm": ("MPI_Comm", "PMPI_Comm_f2c(*{})"),
    "info": ("MPI_Info", "PMPI_Info_f2c(*{})"),
    "request": ("MPI_Request*", "&made"),
}

# By collective, what a call uses of each of its buffers: see HostCopies. Arguments that are not significant on a rank are
# not read.
ELEMENTS = "copies.elements(count, type)"
SEND, RECEIVE = (f"copies.elements({side}_count, {side}_type)" for side in ("send", "receive"))
SEND_BLOCKS, RECEIVE_BLOCKS = (f"copies.equal_blocks({side}_count, {side}_type)" for side in ("send", "receive"))
NOTHING = "HostCopies::UsedBytes()"
USED = {
    "bcast": {"buffer": ELEMENTS},
    "reduce": {"send": ELEMENTS, "receive": f"copies.is(root) ? {ELEMENTS} : {NOTHING}"},
    **{name: {"send": ELEMENTS, "receive": ELEMENTS} for name in ("allreduce", "scan", "exscan")},
    "reduce_scatter": {"send": "copies.blocks(counts, nullptr, type)",
                       "receive": "in_place(send) ? copies.blocks(counts, nullptr, type) "
                                  ": copies.elements(counts[copies.rank()], type)"},
    "reduce_scatter_block": {"send": "copies.equal_blocks(count, type)",
                             "receive": f"in_place(send) ? copies.equal_blocks(count, type) : {ELEMENTS}"},
    "allgather": {"send": SEND, "receive": RECEIVE_BLOCKS},
    "allgatherv": {"send": SEND, "receive": "copies.blocks(counts, displacements, receive_type)"},
    "gather": {"send": SEND, "receive": f"copies.is(root) ? {RECEIVE_BLOCKS} : {NOTHING}"},
    "gatherv": {"send": SEND,
                "receive": f"copies.is(root) ? copies.blocks(counts, displacements, receive_type) : {NOTHING}"},
    "scatter": {"send": f"copies.is(root) ? {SEND_BLOCKS} : {NOTHING}", "receive": RECEIVE},
    "scatterv": {"send": f"copies.is(root) ? copies.blocks(counts, displacements, send_type) : {NOTHING}",
                 "receive": RECEIVE},
    "alltoall": {"send": SEND_BLOCKS, "receive": RECEIVE_BLOCKS},
    "alltoallv": {side: f"copies.blocks({side}_counts, {side}_displacements, {side}_type)" for side in ("send", "receive")},
}

INTRODUCTION = "// Written by bindings/mpi/write_symbols.py."
EXPORT = '#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))'
NAMESPACES = "namespace drop_in = cuboid::detail::drop_in;\nusing namespace drop_in;"


class Form:
    """One of the forms of all collectives: their names, and their arguments from the communicator on."""

    def __init__(self, name, arguments, serve, on_copies, public="MPI_{}", native="PMPI_{}", function="ompi_{}_f",
                 spellings="CUBOID_SPELLINGS"):
        self.name, self.arguments, self.serve, self.on_copies = name, arguments, serve, on_copies
        self.public, self.native, self.function, self.spellings = public, native, function, spellings

    def functions(self):
        return [Function(self, collective, arguments.split()) for collective, arguments in COLLECTIVES.items()]


REQUESTED = "(comm, request, [=](HostCopies& copies, MPI_Request* on_copies)"
BLOCKING = Form("{}", ["comm"], "blocking(comm, ", "on_host_copies(comm, [=](HostCopies& copies)")
NON_BLOCKING = Form("i{}", ["comm", "request"], "non_blocking(comm, request, ", "on_host_copies" + REQUESTED)
PERSISTENT = Form("{}_init", ["comm", "info", "request"], "persistent(comm, request, ",
                  "persistent_on_host_copies" + REQUESTED, "CUBOID_NAME({})", "CUBOID_NATIVE({})", "CUBOID_FUNCTION({})",
                  "CUBOID_INIT_SPELLINGS")


class Function:
    """One form of one collective."""

    def __init__(self, form, collective, own_arguments):
        self.form, self.collective, self.own = form, collective, own_arguments
        self.name = form.name.format(collective)
        self.public = form.public.format(self.name.capitalize())
        self.native = form.native.format(self.name.capitalize())
        self.arguments = own_arguments + form.arguments
        self.values = ", ".join(self.arguments)
        self.buffers = [argument for argument in own_arguments if kind(argument) in ("buffer", "send", "receive")]
        self.has_scalar_counts = any(kind(argument) == "count" for argument in own_arguments) and not any(
            kind(argument) == "counts" for argument in own_arguments)

    def parameters(self, int_type="int"):
        types = [ARGUMENTS[kind(argument)][0] for argument in self.arguments]
        counts = [kind(argument) == "count" for argument in self.arguments]
        return ", ".join(f"{int_type if is_count else type_} {argument}"
                         for type_, is_count, argument in zip(types, counts, self.arguments))

    def declaration(self):
        return f"int {self.name}({self.parameters()});"

    def definition(self):
        values = ", ".join([*self.own, "comm"])
        return (f"int drop_in::{self.name}({self.parameters()}) {{\n{self.out_of_reach()}"
                f"  return with_{self.collective}({values}, {self.form.serve}[=] {{\n"
                f"    return {self.native}({self.values});\n"
                f"  }}));\n}}\n")

    def out_of_reach(self):
        """What happens to buffers in a device's memory that MPI cannot reach."""
        if not self.buffers:
            return ""
        condition = " || ".join(f"is_out_of_reach({buffer})" for buffer in self.buffers)
        used = {"request": "on_copies"} | {buffer: f"copies.of({buffer}, {used})"
                                           for buffer, used in USED[self.collective].items()}
        values = ", ".join(used.get(argument, argument) for argument in self.arguments)
        return (f"  if ({condition}) [[unlikely]] {{\n    return {self.form.on_copies} {{\n"
                f"      return {self.name}({values});\n    }});\n  }}\n")

    def symbol(self):
        return (f"CUBOID_EXPORT int {self.public}({self.parameters()}) {{\n{self.fast_pass_through()}"
                f"  return drop_in::{self.name}({self.values});\n}}\n")

    def fast_pass_through(self):
        """How a blocking call is recognised that is handed on in any case; nothing where lists would have to be read."""
        if self.form is not BLOCKING or not self.has_scalar_counts:
            return ""
        called = f"Called::{self.collective}"
        if self.collective in ("gather", "scatter"):
            known = f"contains_rooted({called}, send_count, send_type, receive_count, receive_type)"
        elif "receive_count" in self.own:
            known = f"contains_blocks({called}, receive_count, receive_type, comm)"
        elif self.collective == "reduce_scatter_block":
            known = f"contains_blocks({called}, count, type, comm)"
        else:
            known = f"contains({called}, count, type, comm)"
        reached = "".join(f" && !is_out_of_reach({buffer})" for buffer in self.buffers)
        return f"  if (fast_pass_through.{known}{reached}) [[likely]]\n    return {self.native}({self.values});\n"

    def large_count_symbol(self):
        counts = [argument for argument in self.own if kind(argument) == "count"]
        too_large = " || ".join(f"!fits({count})" for count in counts)
        values = ", ".join(f"as_int({argument})" if argument in counts else argument for argument in self.arguments)
        return (f"CUBOID_EXPORT int {self.public}_c({self.parameters('MPI_Count')}) {{\n"
                f"  if ({too_large}) return {self.native}_c({self.values});\n"
                f"  return drop_in::{self.name}({values});\n}}\n")

    def subroutine(self):
        parameters = ", ".join(("void* " if kind(argument) in ("buffer", "send", "receive") else "MPI_Fint* ") + argument
                               for argument in [*self.arguments, "error"])
        values = ", ".join(ARGUMENTS[kind(argument)][1].format(argument) for argument in self.arguments)
        call = f"drop_in::{self.name}({values})"
        if "request" in self.arguments:
            body = (f"  MPI_Request made = MPI_REQUEST_NULL;\n  const int code = {call};\n"
                    f"  answer(error, code, request, made);\n")
        else:
            body = f"  answer(error, {call});\n"
        function = self.form.function.format(self.name)
        spellings = ", ".join([self.name, self.name.capitalize(), self.name.upper()])
        return f"CUBOID_EXPORT void {function}({parameters}) {{\n{body}}}\n{self.form.spellings}({spellings});\n"


def kind(argument):
    return argument.split("_")[-1]


def includes(*headers):
    return "".join(f'#include "{header}"\n' for header in headers)


def files():
    """The files' names and texts."""
    c = [*BLOCKING.functions(), *NON_BLOCKING.functions()]
    persistent = PERSISTENT.functions()
    declarations = [function.declaration() for function in [*c, *persistent]]
    yield "collectives.hpp", ["#pragma once\n\n#include <mpi.h>\n\nnamespace cuboid::detail::drop_in {\n", *declarations,
                              "\n}  // namespace cuboid::detail::drop_in"]
    yield "c_symbols.cpp", [
        includes("bindings/dropin/fast_pass_through.hpp", "bindings/mpi/forms.hpp", "collectives.hpp"), EXPORT, NAMESPACES,
        *(function.definition() + "\n" + function.symbol() for function in c)]
    yield "large_count_symbols.cpp", [
        includes("bindings/mpi/large_counts.hpp", "collectives.hpp"), EXPORT, NAMESPACES,
        *(function.large_count_symbol() for function in c if function.has_scalar_counts)]
    yield "fortran_symbols.cpp", [
        includes("bindings/mpi/fortran.hpp", "collectives.hpp"), NAMESPACES, *(function.subroutine() for function in c)]
    yield "persistent_symbols.cpp", [
        includes("bindings/mpi/forms.hpp", "bindings/mpi/persistent_names.hpp", "collectives.hpp"), EXPORT, NAMESPACES,
        *(function.definition() + "\n" + function.symbol() for function in persistent)]
    yield "persistent_fortran_symbols.cpp", [
        includes("bindings/mpi/fortran.hpp", "bindings/mpi/persistent_names.hpp", "collectives.hpp"), NAMESPACES,
        *(function.subroutine() for function in persistent)]


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    folder = pathlib.Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, parts in files():
        (folder / name).write_text("\n".join([INTRODUCTION, *parts, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
