#!/usr/bin/env python3
"""Writes the interfaces of the Fortran module, and the functions in C++ behind them, from one line per subroutine.

    write_interfaces.py FILE.f90.in FILE.f90 FUNCTIONS.inc

copies a Fortran source, in which it replaces lines such as

    bind communicator_split(communicator communicator, int colour, int key, communicator& part)

by the interface of cuboid_communicator_split(). It writes cuboid_fortran_communicator_split() into FUNCTIONS.inc, which
calls cuboid_communicator_split() of C. For `declare` instead of `bind`, that function is written by hand; so it is for
`collective`, which also adds the arguments communicator, request and plan. After a type, `&` says that the subroutine
sets the argument, `~` that it changes it, `?` that it is optional; `[]` after a name says that it is an array. All
subroutines have ierror. A line that ends with `&` goes on in the next one. The build runs it.
"""

import pathlib
import re
import sys

# By type: what Fortran calls it, what C++ calls it, and what C's function is given of an argument that is not set.
NUMBERS = {"int": "int", "size": "std::size_t", "long": "std::int64_t", "datatype": "cuboid_datatype"}
NUMBERS.update((name, "cuboid_" + name) for name in "op pivoting triangle side diagonal norm_kind matrix_class mixed_method".split())
FORTRAN_NUMBERS = {"size": "c_size_t", "long": "c_int64_t", "datatype": "c_int64_t"}
TYPES = {name: (f"integer({FORTRAN_NUMBERS.get(name, 'c_int')})", c, "*{}") for name, c in NUMBERS.items()}
TYPES.update({
    "real": ("real(c_double)", "double", "*{}"),
    "pointer": ("type(c_ptr)", "void*", "*{}"),
    "exchange_function": ("type(c_funptr)", "cuboid_exchange_function", "*{}"),
    "combine_function": ("type(c_funptr)", "cuboid_combine_function", "*{}"),
    "text": ("character(kind=c_char, len=*)", "CFI_cdesc_t", "text_of({}).c_str()"),
    "scalar": ("type(*), dimension(..)", "CFI_cdesc_t", "scalar({}, *{matrix})"),
    "array": ("type(*), dimension(..)", "CFI_cdesc_t", None),
    "layout": ("type(cuboid_layout)", "cuboid_layout", "{}"),
})
LINE = re.compile(r"    (bind|declare|collective) (\w+)\((.*)\)$", re.DOTALL)
ARGUMENT = re.compile(r"(\w+)([&~?]*) (\w+)(\[\])?")
WIDTH = 110


def fortran(kind, how, brackets):
    """What a declaration says before the argument's name."""
    if kind == "procedure":
        return "procedure(cuboid_body)"
    text = TYPES.get(kind, (f"type(cuboid_{kind})",))[0]
    if kind not in ("array", "scalar") or not set(how) & set("&~"):
        text += ", intent(%s)" % ("inout" if "~" in how or brackets and "&" in how else "out" if "&" in how else "in")
    return text + (", asynchronous" if kind == "array" else "") + (", optional" if "?" in how else "")


def interface(name, arguments):
    """The interface, with one declaration for neighbours that are alike."""
    lines, line = [], f"    subroutine cuboid_{name}("
    for number, (_, _, argument, _) in enumerate(arguments):
        piece = argument + (", " if number + 1 < len(arguments) else ") &")
        if len(line + piece) > WIDTH:
            lines.append(line + "&")
            line = " " * 8
        line += piece
    lines += [line, f'        bind(C, name="cuboid_fortran_{name}")', "      import"]
    declared = []
    for kind, how, argument, brackets in arguments:
        said, shown = fortran(kind, how, brackets), argument + ("(*)" if brackets else "")
        if declared and declared[-1][0] == said:
            declared[-1][1].append(shown)
        else:
            declared.append((said, [shown]))
    return lines + [f"      {said} :: {', '.join(names)}" for said, names in declared] + ["    end subroutine"]


def function(name, arguments):
    """The function in C++: a call of the macro CUBOID_FORTRAN."""
    matrix = [argument for kind, how, argument, _ in arguments if kind == "matrix"][-1:]
    parameters, passed = [], []
    for kind, how, argument, brackets in arguments:
        _, c, given = TYPES.get(kind, (None, "cuboid_" + kind, "*{}"))
        is_set = bool(set(how) & set("&~"))
        parameters.append(f"{c}{'' if is_set else ' const'}* {argument}")
        if kind == "text" and "?" in how:
            given = "Name({}).or_null()"
        passed.append(argument if is_set or brackets else given.format(argument, matrix="".join(matrix)))
    return f"CUBOID_FORTRAN({name}, ({', '.join(parameters)}), ({', '.join(passed)}))"


def main(source, target, functions):
    written, calls = [], []
    for line in re.split(r"(?<!&)\n", pathlib.Path(source).read_text(encoding="utf-8")):
        match = LINE.match(line)
        if not match:
            written.append(line)
            continue
        how, name, listed = match.groups()
        arguments = ARGUMENT.findall(listed)
        if how == "bind":
            calls.append(function(name, arguments))
        after = [("int", "&?", "ierror", "")]
        if how == "collective":
            communicator = ("communicator", "", "communicator", "")
            after = [communicator, *after, ("request", "~?", "request", ""), ("plan", "~?", "plan", "")]
        written += interface(name, arguments + after)
    for path, lines in ((target, written), (functions, calls)):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(path).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
