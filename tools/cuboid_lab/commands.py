"""The command line: `lab up`, `run`, `exec`, `links`, `cut`, `mend`, `rate`, `kill`, `status`, `down`."""

import argparse
import difflib
import json
import os
import re
import sys
import time
from pathlib import Path

from . import lab as labs
from . import launcher, network_file, shape
from .errors import LabError, UsageError
from .links_table import links_document, links_table
from .picture import draw
from .rate import format_rate, parse_rate
from .requirements import check_kernel, check_root, check_tools
from .signals import raise_on_end
from .state import changing, check_name, load_lab
from .status import status_document, status_text
from .traffic import compute_flows, read_counters

INTERRUPTED = 130


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line, as the whole lab does."""

    def error(self, message):
        raise UsageError(f"{message} (see '{self.prog} --help')")


def main(arguments):
    """Run one command and return the exit code."""
    raise_on_end()
    try:
        own, command = split_command(arguments)
        options = make_parser().parse_args(own)
        if command is not None and "takes_command" not in options:
            raise UsageError(f"'lab {options.action}' takes no command after --")
        check_root()
        check_tools()
        code = options.perform(options, command) or 0
        sys.stdout.flush()
        return code
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader, for example head, has closed the pipe; the interpreter must not fail on it again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted", file=sys.stderr)
        return INTERRUPTED


def split_command(arguments):
    """The lab's own arguments, and the user's command, which follows the first --; None without a command."""
    if "--" not in arguments:
        return arguments, None
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1:]


def make_parser():
    """All subcommands."""
    parser = OneLineParser(prog="lab", description="An emulated torus, mesh or any other network on one Linux machine.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="COMMAND")

    up = add_action(actions, "up", perform_up, "build a network")
    up.formatter_class = argparse.RawDescriptionHelpFormatter
    up.epilog = ("SPEC is torus:4x4, mesh:4x4, ring:8, hypercube:4, a product such as torus:4x3,mesh:2,\n"
                 "or a network file:\n\n" + network_file.__doc__)
    up.add_argument("spec", metavar="SPEC", help="the shape, or a JSON file")
    up.add_argument("--rate",
                    help="of a cable in each direction (default: 100mbit for a shape; a network file's cables have rates of "
                         "their own, and this is for those that have none); of a shape also one for each axis: 200mbit/50mbit")
    up.add_argument("--ranks-per-node", type=positive, default=1, metavar="R", help="(default: 1)")
    up.add_argument("--tcp", choices=("default", "tuned"), default="default",
                    help="the nodes' TCP: Linux's own settings (default), or tuned to small windows and queues")

    run = add_action(actions, "run", perform_run, "run an MPI program across the nodes: lab run -- COMMAND")
    run.set_defaults(takes_command=True)
    run.add_argument("-n", type=positive, dest="ranks", metavar="N", help="ranks (default: as many as the nodes hold)")
    run.add_argument("--mpi", metavar="PATH", help="another mpirun, or the folder of another MPI")
    run.add_argument("--pml", choices=sorted(launcher.TRANSPORTS), default="ucx",
                     help="how Open MPI talks: over UCX (default) or its own TCP")
    run.add_argument("--timeout", type=seconds, metavar="SECONDS",
                     help=f"end the job for good after so long (exit code {launcher.TIMED_OUT})")

    inside = add_action(actions, "exec", perform_exec, "run a command in one node: lab exec NODE -- COMMAND")
    inside.set_defaults(takes_command=True)
    inside.add_argument("node", metavar="NODE", help="a name such as n5 or a coordinate such as 1,1")

    links = add_action(actions, "links", perform_links, "bytes each cable carried since the last reset")
    links.add_argument("--reset", action="store_true", help="count from now on (after printing, if asked to print)")
    links.add_argument("--json", action="store_true", help="print one JSON object")
    links.add_argument("--svg", metavar="FILE", help="draw the network, each cable coloured by how busy it was")
    links.add_argument("--title", help="the picture's title (default: the lab's name and network)")
    links.add_argument("--seconds", type=seconds,
                       help="the time in which the bytes were carried (default: since the last reset)")

    for name, perform, text in (("cut", perform_cut, "take one cable down and route around it"),
                                ("mend", perform_mend, "take a cut cable up again"),
                                ("rate", perform_rate, "change the rate of the cables between two nodes")):
        action = add_action(actions, name, perform, text)
        action.add_argument("a", metavar="A")
        action.add_argument("b", metavar="B")
        if perform is perform_rate:
            action.add_argument("rate", metavar="RATE")

    kill = add_action(actions, "kill", perform_kill, "end every process in a node and pull its cables")
    kill.add_argument("node", metavar="NODE")

    status = add_action(actions, "status", perform_status, "nodes, coordinates, cables and what is broken")
    status.add_argument("--json", action="store_true", help="print one JSON object")

    add_action(actions, "down", perform_down, "remove the lab, in whatever state it is")
    return parser


def add_action(actions, name, perform, text):
    """A subcommand with the arguments that all subcommands have."""
    action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    action.add_argument("--name", default="lab", help="which lab (default: %(default)s)")
    action.set_defaults(perform=perform)
    return action


def positive(text):
    """A whole number of at least 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def seconds(text):
    """A positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e7:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number of seconds")
    return value


def read_spec(spec, rate):
    """The network that a SPEC names: a file if the text looks like a file's name, else a shape."""
    # The slash of MB/s belongs to its unit.
    rates = [parse_rate(one) for one in re.split("(?<!B)/", rate)] if rate is not None else []
    path = spec.removeprefix("file:")
    if path != spec or path.endswith(".json") or "/" in path:
        if len(rates) > 1:
            raise UsageError("--rate takes one rate for a network file: give each cable its own in the file")
        return network_file.read_network(path, rates[0] if rates else None)
    return shape.build_shape(shape.parse_axes(spec), rates or [parse_rate("100mbit")])


def find_node(lab, text):
    """The node of that name or coordinate."""
    names = lab.network.names
    if text in names:
        return names.index(text)
    places = lab.network.coordinates or ()
    written = [",".join(map(str, place)) for place in places]
    if text in written:
        return written.index(text)
    near = difflib.get_close_matches(text, names + tuple(written), n=4, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"the nodes are {names[0]} to {names[-1]}"
    raise UsageError(f"lab '{lab.name}' has no node {text!r}: {hint}")


def find_living_node(lab, text):
    """The node of that name or coordinate, which must not have been killed."""
    node = find_node(lab, text)
    if node in lab.killed:
        raise UsageError(f"{lab.network.names[node]} has been killed; only a new lab brings it back")
    return node


def need_command(options, command):
    """The user's command, which must not be missing."""
    if not command:
        raise UsageError(f"which command? Write it after --: lab {options.action} ... -- COMMAND")
    return command


def perform_up(options, _):
    network = read_spec(options.spec, options.rate)
    check_name(options.name)
    started = time.monotonic()
    check_kernel()
    lab = labs.bring_up(options.name, options.spec, network, options.ranks_per_node, options.tcp)
    print(f"lab '{lab.name}' is up: {lab.spec}, {len(network.names)} nodes, {len(network.cables)} cables, "
          f"{lab.ranks_per_node} rank(s) per node ({time.monotonic() - started:.1f} s)")


def perform_run(options, command):
    command = need_command(options, command)
    return launcher.run_job(load_lab(options.name), command, options.ranks, options.mpi, options.pml, options.timeout)


def perform_exec(options, command):
    command = need_command(options, command)
    lab = load_lab(options.name)
    launcher.execute(lab, find_living_node(lab, options.node), command)


def perform_links(options, _):
    with changing(options.name) as lab:
        counters = read_counters(lab)
        now = time.time()
        flows = compute_flows(lab.network, counters, lab.counted_from)
        links = links_document(lab, flows, options.seconds or now - lab.counted_since)
        if options.svg:
            write_file(options.svg, draw(lab.network, links, options.title or f"{lab.name}: {lab.spec}"))
        if options.json:
            print(json.dumps(links))
        elif not options.reset and not options.svg:
            print(links_table(lab, flows))
        if options.reset:
            lab.counted_from, lab.counted_since = counters, now
            lab.save()


def write_file(path, text):
    """Write a file that the user asked for."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def perform_cut(options, _):
    with changing(options.name) as lab:
        number = labs.cut(lab, find_node(lab, options.a), find_node(lab, options.b))
        print(f"cut {describe_cable(lab, number)}")
        warn_if_parted(lab)


def perform_mend(options, _):
    with changing(options.name) as lab:
        number = labs.mend(lab, find_node(lab, options.a), find_node(lab, options.b))
        print(f"mended {describe_cable(lab, number)}")


def describe_cable(lab, number):
    """A cable as text for people."""
    return f"cable {number} between {labs.pair(lab, *lab.network.cables[number].ends)}"


def warn_if_parted(lab):
    """Report it if no route is left between some survivors."""
    survivors = lab.survivors()
    hops = lab.network.distances(survivors[0], lab.usable()) if survivors else []
    lost = [lab.network.names[node] for node in survivors if hops[node] is None]
    if lost:
        print(f"lab: the network is in parts: no way from {lab.network.names[survivors[0]]} to {', '.join(lost)}",
              file=sys.stderr)


def perform_rate(options, _):
    rate = parse_rate(options.rate)
    with changing(options.name) as lab:
        a, b = find_node(lab, options.a), find_node(lab, options.b)
        for number in labs.change_rate(lab, a, b, rate):
            print(f"{describe_cable(lab, number)} now runs at {format_rate(rate)}")


def perform_kill(options, _):
    with changing(options.name) as lab:
        node = find_living_node(lab, options.node)
        ended = labs.kill(lab, node)
        print(f"killed {lab.network.names[node]}: {ended} process(es) ended, its cables are down")
        warn_if_parted(lab)


def perform_status(options, _):
    lab = load_lab(options.name)
    print(json.dumps(status_document(lab)) if options.json else status_text(lab))


def perform_down(options, _):
    labs.take_down(options.name)
    print(f"lab '{options.name}' is down")
