#!/usr/bin/env python3
"""What the package tells type checkers and people: stubs that match the extension module, annotations, texts of objects."""

import ast
import inspect
import pathlib
import re
import shutil
import subprocess
import unittest

import numpy

import cuboid
from cuboid import _cuboid

PACKAGE = pathlib.Path(cuboid.__file__).parent


def parameters_in_stub(function):
    """How many arguments a function of the stubs takes; a method's `self` counts."""
    return len(function.args.args)


def parameters_in_module(function):
    """The same of each overload, from the signatures that pybind11 writes into the docstring."""
    signatures = re.findall(rf"^(?:\d+\. )?{function.__name__}\((.*)\) -> ", function.__doc__, re.MULTILINE)
    for signature in signatures:
        while re.search(r"[\[(][^\[\]()]*[\])]", signature):  # commas within types
            signature = re.sub(r"[\[(][^\[\]()]*[\])]", "", signature)
        yield signature.count(",") + 1 if signature else 0


def public(thing):
    return {name for name in vars(thing) if not name.startswith("_")}


class Stubs(unittest.TestCase):
    stubs = ast.parse((PACKAGE / "_cuboid.pyi").read_text())

    def compare(self, stub, thing, where):
        functions = {}
        for node in stub.body:
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(parameters_in_stub(node))
        for name, counts in functions.items():
            function = getattr(thing, name)
            self.assertEqual(sorted(counts), sorted(parameters_in_module(function)), f"{where}{name}")
        return set(functions)

    def test_match_the_module(self):
        classes = {node.name: node for node in self.stubs.body if isinstance(node, ast.ClassDef)}
        functions = self.compare(self.stubs, _cuboid, "")
        self.assertEqual(public(_cuboid), functions | set(classes))
        for name, stub in classes.items():
            thing = getattr(_cuboid, name)
            methods = self.compare(stub, thing, f"{name}.")
            values = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
            own = set(getattr(thing, "__members__", ())) or public(thing)
            self.assertEqual(own, {method for method in methods if not method.startswith("_")} | values, name)

    def test_every_argument_is_annotated(self):
        for name in cuboid.__all__:
            thing = getattr(cuboid, name)
            for own, function in [(name, thing), *inspect.getmembers(thing, inspect.isfunction)]:
                if not inspect.isfunction(function) or (own.startswith("_") and own != "__init__"):
                    continue
                for parameter in inspect.signature(function).parameters.values():
                    if parameter.name not in ("self", "_cls", "iterable"):
                        self.assertIsNot(parameter.annotation, parameter.empty, f"{name}.{own}({parameter.name})")

    @unittest.skipUnless(shutil.which("mypy"), "SKIPPED for want of mypy (Debian's package mypy)")
    def test_a_type_checker_agrees(self):
        mypy = subprocess.run(["mypy", "--strict", "--cache-dir=/dev/null", str(PACKAGE)], capture_output=True, text=True)
        self.assertEqual(mypy.returncode, 0, mypy.stdout + mypy.stderr)


class Texts(unittest.TestCase):
    def test_every_object_says_what_it_is(self):
        def body(ranks):
            matrix = cuboid.Matrix.from_array(ranks, numpy.eye(4))
            vector = numpy.ones(3)
            plan = ranks.plan.allreduce(vector)
            request = ranks.start.allreduce(vector)
            request.wait()
            window = cuboid.Window(ranks, 8)
            objects = [ranks, ranks.start, matrix, plan, request, window, cuboid.SUM, cuboid.Operation(max),
                       cuboid.Neighbourhood.graph([0], [0]), cuboid.Multiplication(matrix, matrix, matrix.like()),
                       cuboid.factorise(matrix), cuboid.qr(matrix), ranks.traffic(), ranks.predict("broadcast", 8),
                       cuboid.Axis(4, True), cuboid.MixedPrecision("GMRES", 1)]
            self.assertEqual({type(thing) for thing in objects}, {
                thing for thing in map(cuboid.__dict__.get, cuboid.__all__)
                if inspect.isclass(thing) and not issubclass(thing, Exception)})
            for thing in objects:
                self.assertNotIn(" object at 0x", repr(thing).replace(repr(max), ""))
                self.assertIn(type(thing).__name__, repr(thing).replace("cuboid.SUM", "Operation")
                              .replace("Communicator.start", "Collectives"))
            self.assertIn("4 × 4", matrix._repr_html_())
            self.assertIn(f"<th>ranks</th><td>{ranks.size}</td>", ranks._repr_html_())
            self.assertIn("seconds", ranks.predict("broadcast", 8)._repr_html_())
            self.assertIn("bytes sent", ranks.traffic()._repr_html_())
            self.assertIn("<th>output</th><td>3 of float64</td>", plan._repr_html_())
            self.assertIn(f"planned by {plan.algorithm}", plan._repr_html_())
            plan.free()
            self.assertIn("freed", plan._repr_html_())
            self.assertIn("complete", request._repr_html_())
            request = ranks.start.allgather(vector)
            self.assertIn("in flight", request._repr_html_())
            self.assertIn("<th>output</th><td>2 × 3 of float64</td>", request._repr_html_())
            request.wait()
            window.free()

        cuboid.run_ranks(2, body)


if __name__ == "__main__":
    unittest.main()
