"""tools/scripts/waits finds what it is to find."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "scripts" / "waits"


class Waits(unittest.TestCase):
    def complaints(self, text, name="collectives/mpi/file.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        return done.stderr

    def test_calls_that_return_at_once_may_be_there(self):
        self.assertEqual(self.complaints("PMPI_Isend(a);\nMPI_Test(&r);\nPMPI_Comm_idup(c, &d, &r);\nMPI_Wtime();\n"), "")

    def test_a_call_that_waits_needs_a_reason(self):
        for call in ["MPI_Barrier(all)", "PMPI_Comm_dup(all, &own)", "MPI_Wait(&r, s)", "MPI_Unheard_of(all)", "MPI_Init(a, b)"]:
            complaint = self.complaints(f"int x;\n{call};\n")
            self.assertIn("file.cpp:2: " + call.split("(")[0].replace("PMPI", "MPI"), complaint)

    def test_a_reason_is_on_the_line_or_just_before_it(self):
        self.assertEqual(self.complaints("MPI_Barrier(a);  // waits: for a reason\n"), "")
        self.assertEqual(self.complaints("// waits: for a reason\nrequire(\n    MPI_Barrier(a));\n"), "")
        self.assertEqual(self.complaints("// waits, in this file: for a reason\n" + "\n" * 9 + "MPI_Barrier(a);\n"), "")
        self.assertIn("MPI_Barrier", self.complaints("// waits: for a reason\n\n\n\n\nMPI_Barrier(a);\n"))
        self.assertIn("MPI_Barrier", self.complaints("// waits:\nMPI_Barrier(a);\n"))

    def test_what_is_no_call_is_not_taken_for_one(self):
        self.assertEqual(self.complaints('int MPI_Barrier(MPI_Comm c);\n// MPI_Barrier(a)\nsay("MPI_Barrier(a)");\n'), "")

    def test_tests_have_limits_of_their_own(self):
        self.assertEqual(self.complaints("MPI_Barrier(a);\n", "tests/file.cpp"), "")


if __name__ == "__main__":
    unittest.main()
