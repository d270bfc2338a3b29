"""Runs the commands that README and docs/ show, as somebody who copies them out does.

A command that ends within SECONDS must end well. A command that takes longer, or goes on SECONDS_MORE after its first
result, was started without complaint: it is interrupted, and passes if it then ends as an interrupted command does.
Two commands run at a time: how long they take is of no interest.
"""

import concurrent.futures
import functools
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

from command import CUBOID, launcher

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 4
SECONDS_MORE = 0.3  # so that a command that prints its only result last is not interrupted

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


def commands_of_pages():
    """Where each command is shown, by (processes, arguments, variables): a command that pages share is one."""
    shown = {}
    for page in pages():
        for number, line in shown_lines(page):
            asked = cuboid_arguments(line)
            if asked is None or any(mark in line for mark in LEFT_OUT) or line.startswith("srun"):
                continue
            processes, arguments, variables = asked
            if processes is None and line.startswith(("mpirun", "srun")) or (processes or 0) > 16:
                continue
            shown.setdefault((processes, tuple(arguments), tuple(variables.items())), []).append(f"{page.name}:{number}")
    return shown


def becomes_true(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


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
        shown = commands_of_pages()
        self.assertGreater(len(shown), 40)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            complaints = pool.map(self.complaint, shown)
            for (_, arguments, _), places, complaint in zip(shown, shown.values(), complaints):
                with self.subTest(pages=places, command=shlex.join(arguments)):
                    self.assertIsNone(complaint)

    def complaint(self, asked):
        """What is wrong with how a command starts and ends; None where nothing is."""
        processes, arguments, variables = asked
        command = [*(launcher(processes) if processes else []), CUBOID, *arguments]
        with tempfile.TemporaryDirectory(dir=self.folder.name) as folder:
            for matrix in ("A.npy", "B.npy"):
                os.symlink(os.path.join(self.folder.name, matrix), os.path.join(folder, matrix))
            output, errors = pathlib.Path(folder, "output"), pathlib.Path(folder, "errors")
            with output.open("w") as to_output, errors.open("w") as to_errors:
                run = subprocess.Popen(command, cwd=folder, stdout=to_output, stderr=to_errors, start_new_session=True,
                                       env={**os.environ, "CUBOID_TIMEOUT": "60", **dict(variables)})

            def has_ended():
                return run.poll() is not None

            becomes_true(lambda: has_ended() or output.stat().st_size > 0, SECONDS)
            interrupted = not becomes_true(has_ended, SECONDS_MORE)
            alive = self.interrupt(run, has_ended) if interrupted else []
            said = output.read_text() + errors.read_text()
        if alive:
            return f"{alive} did not end 30 s after it was interrupted"
        if interrupted:
            return said if re.search("(?m)^cuboid: error: ", said) else None
        return f"exit code {run.returncode}: {said}" if run.returncode != 0 else None

    def interrupt(self, run, has_ended):
        """The processes of Cuboid that are left 30 s later; there is no process of the session when this returns."""
        def ranks():
            return [process for process in processes_of(run.pid) if "cuboid" in process]

        os.killpg(run.pid, signal.SIGINT)
        becomes_true(lambda: has_ended() or not ranks(), 30)
        # PMIx 4.2 in mpirun may wait for itself when all ranks have ended.
        if becomes_true(has_ended, 2):
            return []
        alive = ranks()
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        return alive


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
