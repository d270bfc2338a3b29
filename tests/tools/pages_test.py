"""Runs the commands that README and docs/ show, as somebody who copies them out does.

A command that ends within SECONDS must end well. A command that takes longer was started without complaint: it is
interrupted, and passes if it then ends as an interrupted command does.
"""

import functools
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import unittest

from command import CUBOID, launcher

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 4

# Commands that need what a test cannot bring, by what tells them; each with its reason.
LEFT_OUT = {
    "--calibrate": "writes the user's parameters; cuboid_bench.Calibration runs it",
    "{ranks}": "asks for a launcher; cuboid_experiment.Runs has one",
    "/etc/slurm": "needs the machine of the example",
    "validate": "takes minutes, and refuses a busy machine; cuboid_validate.Results runs it",
    "smpi_": "needs SimGrid's launcher; tests/simulated runs it",
    "pairs": "needs a network; lab.microbenchmarks runs it",
    "bench links": "needs a network; lab.microbenchmarks runs it",
    "--sub-box": "needs a network; lab.microbenchmarks runs it",
}


def shown_lines(page):
    """All lines of shell that a page shows: (number, line), those that end with a backslash joined to the next."""
    fence, joined, begun = None, "", 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        opening = re.match(r"```(\w*)", line)
        if opening:
            fence = None if fence is not None else opening[1]
            continue
        shown = line if fence in ("sh", "bash", "console", "") else line if fence is None and line.startswith("    ") else ""
        if not shown.strip():
            continue
        begun = begun if joined else number
        joined += shown.strip().removeprefix("$ ")
        if joined.endswith("\\"):
            joined = joined[:-1]
            continue
        yield begun, joined
        joined = ""


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def cuboid_arguments(line):
    """What a shown line asks of `cuboid` and of how many processes: (processes or None, arguments); None for others.

    Commands in the lab are tried without it: what they ask of the command is the same.
    """
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return None
    variables = {}
    processes = None
    while words:
        word = words.pop(0)
        if word in ("&&", "||", ";", "|"):
            return None
        if word in ("cuboid", "$(which cuboid)"):
            break
        if word == "-n" and words:
            processes = int(words[0]) if words[0].isdigit() else None
        if re.fullmatch(r"CUBOID_\w+=\w+", word):
            variables.update([word.split("=")])
    else:
        return None
    for end, word in enumerate(words):
        if word in ("&&", "||", ";", "|", ">"):
            words = words[:end]
            break
    in_the_lab = line.lstrip().startswith(("tools/lab", "sudo tools/lab"))
    return (2 if in_the_lab else processes), words, variables


def processes_of(session):
    """The programs of a session that have not ended."""
    shown = subprocess.run(["ps", "-s", str(session), "-o", "stat=,comm="], capture_output=True, text=True).stdout
    return [comm for state, comm in (line.split(maxsplit=1) for line in shown.splitlines()) if not state.startswith("Z")]


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        make = functools.partial(subprocess.run, check=True, cwd=cls.folder.name)
        # README's two matrices, and a system for `cuboid lu A.npy -b B.npy`.
        make([ROOT / "tools/make_matrix", "--rows", "1000", "--columns", "1000", "A.npy"])
        make([ROOT / "tools/make_matrix", "--rows", "1000", "--columns", "200", "--seed", "2", "B.npy"])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_command_of_the_pages_starts(self):
        tried = 0
        for page in pages():
            for number, line in shown_lines(page):
                asked = cuboid_arguments(line)
                if asked is None or any(mark in line for mark in LEFT_OUT) or line.startswith("srun"):
                    continue
                processes, arguments, variables = asked
                if processes is None and line.startswith(("mpirun", "srun")) or (processes or 0) > 16:
                    continue
                tried += 1
                with self.subTest(page=f"{page.name}:{number}", command=line):
                    self.starts([*(launcher(processes) if processes else []), CUBOID, *arguments], variables)
        self.assertGreater(tried, 40)

    def starts(self, command, variables):
        run = subprocess.Popen(
            command, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, env={**os.environ, "CUBOID_TIMEOUT": "60", **variables})
        try:
            output, _ = run.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGINT)
            try:
                output, _ = run.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                alive = [process for process in processes_of(run.pid) if "cuboid" in process]
                os.killpg(run.pid, signal.SIGKILL)
                output, _ = run.communicate()
                # PMIx 4.2 in mpirun may wait for itself when all ranks have ended.
                self.assertEqual(alive, [], "did not end 30 s after it was interrupted")
            self.assertNotRegex(output, "(?m)^cuboid: error: ")
            return
        self.assertEqual(run.returncode, 0, output)


class Files(unittest.TestCase):
    """Scripts, targets and pages that the pages name are there."""

    def test_scripts_are_there(self):
        for page in pages():
            for number, line in shown_lines(page):
                for script in re.findall(r"(?:^|[\s;])((?:tools|bench)/[\w/]+)", line):
                    with self.subTest(page=f"{page.name}:{number}", script=script):
                        self.assertTrue((ROOT / script).exists())

    def test_targets_are_there(self):
        described = "\n".join(path.read_text() for path in ROOT.rglob("CMakeLists.txt") if "build" not in path.parts)
        made = re.findall(r"(?:add_library|add_executable|add_custom_target|cuboid_simulated_program|cuboid_add_(?:mpi_)?test)"
                          r"\((\w+)", described)
        made += ["bench_" + name for name in re.findall(r"cuboid_add_(?:bench|peer)\((\w+)", described)]
        for page in pages():
            for number, line in shown_lines(page):
                for target in re.findall(r"(?:--target |build/release/bench/(?:\w+/)?)(\w+)", line):
                    with self.subTest(page=f"{page.name}:{number}", target=target):
                        self.assertTrue(target.removeprefix("lib") in made, f"no target {target}")

    def test_links_between_pages_lead_somewhere(self):
        for page in [*pages(), *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"))]:
            for target in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", page.read_text()):
                with self.subTest(page=page.name, link=target):
                    self.assertTrue((page.parent / target).exists())


if __name__ == "__main__":
    unittest.main()
