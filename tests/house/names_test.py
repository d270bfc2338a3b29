"""tools/scripts/names finds what it is to find."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scripts" / "names"


class Names(unittest.TestCase):
    def complaints(self, first, second):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("collectives/a.hpp", first), ("mm/plan/b.hpp", second)):
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True)
                path.write_text(text)
            done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_two_headers_may_not_define_one_name(self):
        for text in ["struct Edge {\n", "class CUBOID_API Edge final : public Line {\n", "class Outer {\n  enum class Edge { a };\n",
                     "template <class T>\nstruct Edge {\n"]:
            self.assertIn("Edge is defined in collectives/a.hpp and in mm/plan/b.hpp", self.complaints("struct Edge {\n", text))

    def test_a_declaration_or_a_specialisation_is_no_definition(self):
        for text in ["class Edge;\n", "struct Edge<int> {\n", "Edge edge{1};\n", "// struct Edge {\n", "struct Edges {\n"]:
            self.assertEqual(self.complaints("struct Edge {\n", text), "")

    def test_a_class_may_say_which_kinds_of_it_there_are(self):
        nested = "struct {} {{\n  enum class Kind {{ a }};\n}};\n"
        self.assertEqual(self.complaints(nested.format("Step"), nested.format("Datatype")), "")
        self.assertIn("Kind is defined", self.complaints("enum class Kind { a };\n", "struct Kind {\n"))
        self.assertIn("State is defined", self.complaints("struct A {\n  enum class State { a };\n", "struct B {\n  enum class State {\n"))


if __name__ == "__main__":
    unittest.main()
