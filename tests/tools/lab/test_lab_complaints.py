"""Bad usage and lacking means: one line that says which, and the exit code scripts rely on."""

import contextlib
import io
import unittest
from unittest import mock

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab import commands, requirements
from cuboid_lab.errors import LabError


def complain(*arguments):
    """The exit code and complaint of a command that must not print anything else."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = commands.main(list(arguments))
    assert output.getvalue() == ""
    return code, errors.getvalue()


class Complaints(unittest.TestCase):
    def assert_complaint(self, arguments, code, pattern):
        with mock.patch("os.geteuid", return_value=0), mock.patch.object(commands, "check_tools"):
            found, text = complain(*arguments)
        self.assertEqual(found, code, arguments)
        self.assertRegex(text, pattern)
        self.assertEqual(text.count("\n"), 1, text)

    def test_bad_usage(self):
        for arguments, pattern in (
                ([], "required"), (["fly"], "invalid choice"), (["up"], "SPEC"), (["up", "torus:4y4"], "bad network"),
                (["up", "torus:4x4", "--rate", "fast"], "bad rate 'fast'"),
                (["up", "torus:4x4", "--rate", "-1"], "rate"),
                (["up", "torus:64x64"], "too many"), (["up", "/nowhere/net.json"], "No such file"),
                (["up", "torus:4", "--ranks-per-node", "0"], "at least 1"),
                (["up", "torus:4", "--name", "a/b"], "bad lab name"),
                (["up", "torus:4", "--name", ".."], "bad lab name"), (["status", "--name", "x" * 33], "bad lab name"),
                (["status", "--name", "no-such-lab"], "no lab named 'no-such-lab'"),
                (["down", "--name", "no-such-lab"], "no lab named"), (["run", "-n", "4"], "which command"),
                (["run", "--name", "no-such-lab", "--", "true"], "no lab named"),
                (["exec", "n0", "--"], "which command"),
                (["run", "-n", "x", "--", "true"], "whole number"),
                (["run", "--timeout", "-1", "--", "true"], "seconds"),
                (["run", "--pml", "x", "--", "true"], "invalid choice"), (["status", "--", "true"], "takes no command"),
                (["cut", "n0"], "B")):
            self.assert_complaint(arguments, 2, pattern)

    def test_without_root(self):
        with mock.patch("os.geteuid", return_value=1000):
            code, text = complain("up", "torus:4x4")
        self.assertEqual((code, text.count("\n")), (1, 1))
        self.assertIn("root", text)

    def test_without_a_tool(self):
        with mock.patch("os.geteuid", return_value=0), mock.patch("shutil.which", return_value=None):
            code, text = complain("up", "torus:4x4")
        self.assertEqual((code, text.count("\n")), (1, 1))
        self.assertIn("install the package iproute2", text)

    def test_without_a_kernel_feature(self):
        for feature, trial, remedy in requirements.FEATURES:
            def refuse(command, refused=trial):
                if command[-1] == refused:
                    raise LabError("ip failed: Operation not supported")
            with mock.patch.object(requirements, "run", refuse), self.assertRaises(LabError) as caught:
                requirements.check_kernel()
            self.assertIn(feature, str(caught.exception))
            self.assertIn(remedy, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
