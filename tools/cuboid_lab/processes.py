"""Processes of a lab, found by the network namespace they live in and by nothing else."""

import os
import signal
import time

from .errors import LabError

PATIENCE_SECONDS = 5
RUN_VARIABLE = "LAB_RUN"


def identity(path):
    """What tells one namespace from another, or None if there is none at the path."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def identities(namespaces):
    """The namespaces that exist at the paths; never the one we live in ourselves."""
    return {identity(path) for path in namespaces} - {None, identity("/proc/self/ns/net")}


def find_processes(wanted, run=None):
    """Process ids in any of the wanted namespaces, if asked only those a certain `lab run` started."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if identity(f"/proc/{pid}/ns/net") in wanted and (run is None or started_by(pid, run))]


def started_by(pid, run):
    """Whether a process carries the mark of the run in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as environment:
            return f"{RUN_VARIABLE}={run}".encode() in environment.read().split(b"\0")
    except OSError:
        return False


def end_processes(namespaces, run=None):
    """Kill every such process and what it forks meanwhile, until none is left. Returns how many there were."""
    ended = set()
    wanted = identities(namespaces)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while found := find_processes(wanted, run):
        if time.monotonic() > deadline:
            raise LabError(f"processes {found} do not end; wait for their input or output to finish and try again")
        ended.update(pid for pid in found if kill(pid, wanted))
        time.sleep(0.01)
    return len(ended)


def kill(pid, wanted):
    """Kill one process. A handle taken before the last look at its namespace hits no other that inherits its id."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if identity(f"/proc/{pid}/ns/net") not in wanted:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
