"""Programs in the lab: one command in one node, or an MPI job on all nodes."""

import math
import os
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from . import namespaces, processes
from .errors import LabError, UsageError
from .host import run as run_tool
from .signals import ignore_end

GRACE_SECONDS = 3
TIMED_OUT = 124
NODE_ENVIRONMENT = {"UCX_NET_DEVICES": "br0"}
DIE_WITH_US = ["setpriv", "--pdeathsig", "TERM"]

TRANSPORTS = {
    "ucx": ["--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"],
    "ob1": ["--mca", "pml", "ob1", "--mca", "btl", "vader,tcp,self", "--mca", "btl_tcp_if_include", "br0"],
}


def execute(lab, node, command):
    """Replace this process by a command inside one node."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and a command would go on to
    os.execve(lab.folder / "enter", ["enter", lab.network.names[node], *command], os.environ | NODE_ENVIRONMENT)


def run_job(lab, command, ranks=None, mpi=None, pml="ucx", timeout=None):
    """Run an MPI job and return its exit code. No process that it started inside the lab outlives it."""
    program = find_mpirun(mpi)
    nodes, ranks = place_ranks(lab, ranks)
    run = secrets.token_hex(8)
    hosts = lab.folder / "tmp" / f"hosts-{run}"
    arguments = mpirun_arguments(lab, program, nodes, hosts, ranks, pml)
    environment = os.environ | NODE_ENVIRONMENT | {processes.RUN_VARIABLE: run}
    job = subprocess.Popen([*DIE_WITH_US, lab.folder / "enter", nodes[0], *arguments, *command], env=environment)
    try:
        return exit_code(job.wait(timeout))
    except subprocess.TimeoutExpired:
        print(f"lab: time limit of {timeout:g} s reached, ending the job", file=sys.stderr)
        return TIMED_OUT
    finally:
        ignore_end()
        end_job(lab, job, run)
        hosts.unlink(missing_ok=True)


def place_ranks(lab, ranks):
    """The names of the nodes that a job needs, and its number of ranks, by default all that the survivors hold."""
    survivors = [lab.network.names[node] for node in lab.survivors()]
    if not survivors:
        raise LabError(f"every node of lab '{lab.name}' has been killed")
    ranks = ranks or len(survivors) * lab.ranks_per_node
    return survivors[:math.ceil(ranks / lab.ranks_per_node)], ranks


def end_job(lab, job, run):
    """Ask the launcher to end, then end all processes of the job that are left in the lab's namespaces."""
    job.terminate()
    try:
        job.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    nodes = range(len(lab.network.names))
    processes.end_processes([namespaces.network_namespace(lab, node) for node in nodes], run)
    job.wait()


def exit_code(code):
    """The exit code that a shell would report, also after a signal."""
    return code if code >= 0 else 128 - code


def find_mpirun(mpi):
    """The mpirun to use: the given file, the one in the given folder of an MPI, else the one on the PATH."""
    if mpi is None:
        program = shutil.which("mpirun")
        if program is None:
            raise LabError("no mpirun on the PATH: install the package openmpi-bin or say --mpi PATH")
        return program
    path = Path(mpi) / "bin" / "mpirun" if Path(mpi).is_dir() else Path(mpi)
    program = shutil.which(path)
    if program is None:
        raise UsageError(f"--mpi {mpi}: neither a program nor a folder with bin/mpirun")
    return os.path.abspath(program)


def mpirun_arguments(lab, program, nodes, hosts, ranks, pml):
    """The launcher's command line up to the user's command, in the dialect of Open MPI or of MPICH's Hydra."""
    hydra = "HYDRA" in run_tool([program, "--version"])
    slots = ":" if hydra else " slots="
    hosts.write_text("".join(f"{node}{slots}{lab.ranks_per_node}\n" for node in nodes), encoding="utf-8")
    if hydra:
        return [program, "-launcher", "rsh", "-launcher-exec", lab.folder / "agent", "-f", hosts, "-iface", "br0",
                "-n", str(ranks)]
    # Every node takes the machine's cores for its own. So binding would put the ranks of all nodes on the first core.
    return [program, "--allow-run-as-root", "--mca", "plm_rsh_agent", lab.folder / "agent",
            "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "oob_tcp_if_include", "br0",
            "--mca", "orte_tmpdir_base", lab.folder / "tmp", "--mca", "mpi_yield_when_idle", "1",
            *TRANSPORTS[pml], "-x", "UCX_NET_DEVICES", "--hostfile", hosts, "--map-by", "slot", "--oversubscribe",
            "--bind-to", "none", "-n", str(ranks)]
