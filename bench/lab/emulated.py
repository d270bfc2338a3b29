"""Common to the measurements on emulated networks: a lab that is set up and removed, and the flags."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from quiet import undisturbed  # noqa: E402 (where it lies is known only now)

LAB = ROOT / "tools" / "lab"


class Lab:
    """One network that is up; taken down at the end, whatever happens."""

    def __init__(self, name, timeout):
        self.name, self.timeout = name, timeout
        self.is_up = False

    def call(self, verb, *arguments, environment=None):
        command = [str(LAB), verb, "--name", self.name, *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                              env=os.environ | (environment or {}))
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
        self.is_up = self.is_up or verb == "up"
        return done.stdout

    def run_once(self, *command, environment=None):
        """The JSON object that a program on all ranks prints."""
        return json.loads(self.call("run", "--timeout", self.timeout, "--", *command, environment=environment))

    def run(self, *command, environment=None):
        """The same; the run is repeated if the machine was disturbed."""
        return undisturbed(lambda: self.run_once(*command, environment=environment))

    def counted(self, *command):
        """The program's output, and the bytes that every direction of a cable carried during the run."""
        def run():
            self.call("links", "--reset")
            result = self.run_once(*command)
            return result, [link["bytes"] for link in json.loads(self.call("links", "--json"))["links"]]

        return undisturbed(run)

    def carried(self, command, repeats):
        """What command(1 + repeats) prints, and the seconds that the busiest direction of a cable carries bytes of one
        repeat: the difference between that run and command(1), so that setting up does not count."""
        _, of_one = self.counted(*command(1))
        result, of_all = self.counted(*command(1 + repeats))
        rates = [link["rate"] for link in json.loads(self.call("links", "--json"))["links"]]
        return result, max(8 * (more - less) / rate / repeats for more, less, rate in zip(of_all, of_one, rates))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.is_up:  # one of that name may be another's
            return
        subprocess.run([str(LAB), "down", "--name", self.name], check=False, capture_output=True)


def parser_for(description, name):
    """A parser with the flags of all measurements; a script's docstring describes it."""
    lines = description.splitlines()
    parser = argparse.ArgumentParser(description=lines[0], epilog="\n".join(lines[2:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="rows to measure, by number (default: all)")
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    parser.add_argument("--name", default=name, help=f"the lab's name (default {name})")
    parser.add_argument("--cuboid", default=str(ROOT / "build" / "release" / "tools" / "cuboid"),
                        help="the command to measure (default that of build/release)")
    parser.add_argument("--tcp", choices=("default", "tuned"), default="default",
                        help="the nodes' TCP, as of `lab up` (default: Linux's own)")
    parser.add_argument("--timeout", type=int, default=600, help="time limit of a run in seconds (default 600)")
    return parser


def parsed(parser, rows):
    """The flags, checked; lists the rows where that is asked for, and returns None."""
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
    """A value next to what it must reach."""
    if value is None:
        return ""
    text = form(value)
    if least is None:
        return text
    return f"{text} (≥ {form(least)}{'' if value >= least else ', missed'})"


def at_most(value, most, form):
    """A value next to the limit that it must not exceed."""
    text = form(value)
    if most is None:
        return text
    return f"{text} (≤ {form(most)}{'' if value <= most else ', missed'})"
