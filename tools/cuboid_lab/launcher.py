"""Programs in the lab: one command in one node, or an MPI job across all of them."""

import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

from . import namespaces, processes
from .errors import LabError, UsageError

GRACE_SECONDS = 3
TIMED_OUT = 124

TRANSPORTS = {
    "ucx": ["--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"],
    "ob1": ["--mca", "pml", "ob1", "--mca", "btl", "vader,tcp,self", "--mca", "btl_tcp_if_include", "br0"],
}


def execute(lab, node, command):
    """Become a command inside one node."""
    os.execv(lab.folder / "enter", ["enter", lab.network.names[node], *command])


def run_job(lab, command, ranks=None, mpi=None, pml="ucx", timeout=None):
    """Run an MPI job and return its exit code. Nothing it started inside the lab outlives it."""
    program = find_mpirun(mpi)
    survivors = [lab.network.names[node] for node in lab.survivors()]
    if not survivors:
        raise LabError(f"every node of lab '{lab.name}' has been killed")
    ranks = ranks or len(survivors) * lab.ranks_per_node
    arguments = mpirun_arguments(lab, program, survivors, ranks, pml)
    run = secrets.token_hex(8)
    environment = os.environ | {"UCX_NET_DEVICES": "br0", processes.RUN_VARIABLE: run}
    job = subprocess.Popen([lab.folder / "enter", survivors[0], *arguments, *command], env=environment)
    try:
        return exit_code(job.wait(timeout))
    except subprocess.TimeoutExpired:
        print(f"lab: time limit of {timeout:g} s reached, ending the job", file=sys.stderr)
        return TIMED_OUT
    finally:
        end_job(lab, job, run)


def end_job(lab, job, run):
    """Ask the launcher to end, then end whatever of the job is left in the lab's namespaces."""
    job.terminate()
    try:
        job.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    nodes = range(len(lab.network.names))
    processes.end_processes([namespaces.network_namespace(lab, node) for node in nodes], run)
    job.wait()


def exit_code(code):
    """An exit code as a shell tells it, also after a signal."""
    return code if code >= 0 else 128 - code


def find_mpirun(mpi):
    """The mpirun to use: given as such or as the folder MPI is installed in, else the one on the PATH."""
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


def mpirun_arguments(lab, program, nodes, ranks, pml):
    """The launcher's command line up to the user's command, in the dialect of Open MPI or of MPICH and its kin (Hydra)."""
    hydra = "HYDRA" in subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    slots = ":" if hydra else " slots="
    hosts = lab.folder / "tmp" / f"nodes-{len(nodes)}"
    hosts.write_text("".join(f"{node}{slots}{lab.ranks_per_node}\n" for node in nodes), encoding="utf-8")
    if hydra:
        return [program, "-launcher", "rsh", "-launcher-exec", lab.folder / "agent", "-f", hosts, "-iface", "br0",
                "-n", str(ranks)]
    # Every node believes the machine's cores are its own, so binding ranks would pile them onto the first core.
    return [program, "--allow-run-as-root", "--mca", "plm_rsh_agent", lab.folder / "agent",
            "--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "oob_tcp_if_include", "br0",
            "--mca", "orte_tmpdir_base", lab.folder / "tmp", "--mca", "mpi_yield_when_idle", "1",
            *TRANSPORTS[pml], "-x", "UCX_NET_DEVICES", "--hostfile", hosts, "--map-by", "slot", "--oversubscribe",
            "--bind-to", "none", "-n", str(ranks)]
