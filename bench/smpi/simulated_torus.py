"""Runs programs on a torus that SimGrid simulates."""

import argparse
import json
import math
import os
import signal
import subprocess
import sys

# Links carry their nominal rate without protocol overhead, as in Cuboid's simulator. Computation takes no time. A message
# flows when both sides are ready.
SETTINGS = {
    "smpi/simulate-computation": "no", "smpi/test": "0", "smpi/iprobe": "0", "smpi/wtime": "0",
    "smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1", "network/TCP-gamma": "0", "network/weight-S": "0",
    "network/crosstraffic": "0", "smpi/async-small-thresh": "0", "smpi/send-is-detached-thresh": "0",
    "contexts/stack-size": "256", "contexts/guard-size": "0",
}


def add_options(parser):
    parser.add_argument("--rate", type=float, default=1e9, help="bytes per second of each link and direction")
    parser.add_argument("--latency", type=float, default=1e-6, help="seconds of each link")
    parser.add_argument("--flops", type=float, default=1e10, help="floating-point operations per second of each node")


def built(program):
    """The type of the argument that names a simulated program: these are built on demand only."""
    if not os.path.exists(program):
        raise argparse.ArgumentTypeError(f"{program} does not exist: build it, e.g. "
                                         "cmake --build build/release --target smpi_collective (or smpi_multiply)")
    return program


def extents(shape):
    return [int(extent) for extent in shape.split("x")]


def describe_torus(folder, shape, options):
    """Writes smpirun's files: the platform, and the hosts by rank. Cuboid's node numbers run fastest along the last axis,
    SimGrid's along the first."""
    axes = extents(shape)
    nodes = math.prod(axes)
    platform = os.path.join(folder, "torus.xml")
    with open(platform, "w", encoding="utf-8") as file:
        file.write(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="torus" prefix="n" suffix="" radical="0-{nodes - 1}" speed="{options.flops}f" bw="{options.rate}Bps"
         lat="{options.latency}s" loopback_bw="{options.rate}Bps" loopback_lat="0s" topology="TORUS" topo_parameters="{','.join(map(str, reversed(axes)))}"
         sharing_policy="SPLITDUPLEX"/>
</platform>
""")
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w", encoding="utf-8") as file:
        file.writelines(f"n{node}\n" for node in range(nodes))
    return platform, hosts, nodes


def smpirun(options, folder, shape, program, arguments, settings, algorithm=None):
    """Runs a program on a torus. The options give the rates of its links and processors."""
    platform, hosts, nodes = describe_torus(folder, shape, options)
    command = ["smpirun", "-no-privatize", "-np", str(nodes), "-platform", platform, "-hostfile", hosts,
               *[f"--cfg={name}:{value}" for name, value in settings.items()], "--log=root.thres:warning",
               os.path.abspath(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "CUBOID_PARAMETERS": "none",
                               **({"CUBOID_ALGORITHM": algorithm} if algorithm else {})})


def run_multiplication(options, folder, shape, flags):
    """Runs `cuboid mm` with these flags on a torus."""
    return smpirun(options, folder, shape, options.program, ["torus:" + shape, str(options.rate), str(options.latency), *flags],
                   {**SETTINGS, "contexts/stack-size": "1024"})  # plans are made on this stack


def simulate_multiplication(options, folder, shape, flags):
    """The output of smpi_multiply."""
    run = run_multiplication(options, folder, shape, flags)
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{' '.join(run.args)}\n{run.stdout}{run.stderr}")
    return json.loads(lines[0])


def simulate_collective(options, folder, shape, operation, size, by="cuboid", algorithm=None):
    """The output of smpi_collective for one case. Cuboid runs it, with the algorithm that it chooses or with the given one, or
    the simulated MPI does, with the algorithm that one of its selectors chooses ("ompi") or with one of its own
    ("bcast:binomial_tree"). None if the simulation reached its limit of processor time (RLIMIT_CPU)."""
    settings = dict(SETTINGS)
    how = "cuboid"
    if ":" in by:
        name, its_algorithm = by.split(":")
        settings["smpi/" + name] = its_algorithm
        how = "mpi"
    elif by != "cuboid":
        settings["smpi/coll-selector"] = by
        how = "mpi-again"
    run = smpirun(options, folder, shape, options.program,
                  ["torus:" + shape, str(options.rate), str(options.latency), operation, str(size), how,
                   *(["check"] if options.check else [])], settings,
                  algorithm and f"{operation}:{algorithm}")
    if run.returncode == 128 + signal.SIGXCPU:
        return None
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{' '.join(run.args)}\n{run.stdout}{run.stderr}")
    return json.loads(lines[0])
