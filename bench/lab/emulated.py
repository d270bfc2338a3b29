"""The common part of the measurements on emulated networks: building and removing a lab, and the flags."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from quiet import undisturbed  # noqa: E402 (where it lies is known only now)

sys.path.insert(0, str(ROOT / "tools"))
from cuboid_lab.signals import end_held_back, raise_on_end  # noqa: E402

LAB = ROOT / "tools" / "lab"


class Lab:
    """A network that is up. It is removed at the end, also after an error or a signal."""

    def __init__(self, name, timeout):
        self.name, self.timeout = name, timeout
        self.is_up = False

    def call(self, verb, *arguments, environment=None):
        command = [str(LAB), verb, "--name", self.name, *map(str, arguments)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=os.environ | (environment or {})) as process:
            try:
                output, complaint = process.communicate()
            except KeyboardInterrupt:
                process.terminate()  # it undoes what it has half done
                process.communicate()
                raise
            finally:
                self.is_up = self.is_up or (verb == "up" and process.returncode == 0)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {complaint.strip() or process.returncode}")
        return output

    def run_once(self, *command, environment=None):
        """Runs a program on all ranks and returns the JSON object that it prints."""
        return json.loads(self.call("run", "--timeout", self.timeout, "--", *command, environment=environment))

    def run(self, *command, environment=None):
        """The same, repeated if the machine was disturbed."""
        return undisturbed(lambda: self.run_once(*command, environment=environment))

    def counted(self, *command):
        """The program's JSON object, and the bytes that every direction of a cable carried meanwhile."""
        def run():
            self.call("links", "--reset")
            result = self.run_once(*command)
            return result, [link["bytes"] for link in json.loads(self.call("links", "--json"))["links"]]

        return undisturbed(run)

    def carried(self, command, repeats):
        """The JSON object of command(1 + repeats), and the seconds in which the busiest direction of a cable carries the
        bytes of one repeat. The bytes are that run's less those of command(1), so that setting up does not count."""
        _, of_one = self.counted(*command(1))
        result, of_all = self.counted(*command(1 + repeats))
        rates = [link["rate"] for link in json.loads(self.call("links", "--json"))["links"]]
        return result, max(8 * (more - less) / rate / repeats for more, less, rate in zip(of_all, of_one, rates))

    def __enter__(self):
        raise_on_end()
        return self

    def __exit__(self, *_):
        if not self.is_up:  # a lab of that name may be somebody else's
            return
        with end_held_back():
            subprocess.run([str(LAB), "down", "--name", self.name], check=False, capture_output=True)


def parser_for(description, name):
    """A parser with the flags of all measurements. `description` is the script's docstring."""
    lines = description.splitlines()
    parser = argparse.ArgumentParser(description=lines[0], epilog="\n".join(lines[2:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="rows to measure, by number (default: all)")
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    parser.add_argument("--name", default=name, help=f"the lab's name (default {name})")
    parser.add_argument("--cuboid", default=str(ROOT / "build" / "release" / "tools" / "cuboid"),
                        help="the command to measure (default that of build/release)")
    parser.add_argument("--tcp", choices=("default", "tuned"), default="default",
                        help="the nodes' TCP, as in `lab up` (default: Linux's own)")
    parser.add_argument("--timeout", type=int, default=600, help="seconds that a run may take (default 600)")
    return parser


def add_rate(parser):
    """The flag of measurements that run on cables of any rate."""
    parser.add_argument("--rate", help="another rate of all cables: if a row comes nearer to its bound on slower cables, the "
                                       "processors limited it")


def parsed(parser, rows):
    """The checked flags. With --list it lists the rows and returns None."""
    options = parser.parse_args()
    for number in options.rows:
        if not 1 <= number <= len(rows):
            parser.error(f"row {number}: there are rows 1 to {len(rows)} (see --list)")
    if options.list:
        for number, row in enumerate(rows, 1):
            print(f"{number:3}  {row.text}: {row.what}")
        return None
    if not Path(options.cuboid).is_file():
        parser.error(f"{options.cuboid}: no such file; build Cuboid, or say where the command is with --cuboid")
    options.rows = options.rows or list(range(1, len(rows) + 1))
    return options


def print_head(columns):
    """The head of a Markdown table."""
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)


def at_least(value, least, form):
    """A value beside the least that it must reach."""
    if value is None:
        return ""
    text = form(value)
    if least is None:
        return text
    return f"{text} (≥ {form(least)}{'' if value >= least else ', missed'})"


def at_most(value, most, form):
    """A value beside the most that it may reach."""
    text = form(value)
    if most is None:
        return text
    return f"{text} (≤ {form(most)}{'' if value <= most else ', missed'})"
