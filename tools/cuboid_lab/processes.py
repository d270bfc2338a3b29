"""Processes of a lab. Only their network namespace tells that they belong to it."""

import os
import signal
import time

from .errors import LabError

PATIENCE_SECONDS = 5
RUN_VARIABLE = "LAB_RUN"


def identity(path):
    """The identity of the namespace at the path; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def identities(namespaces):
    """The namespaces that exist at the paths, without this process's own."""
    return {identity(path) for path in namespaces} - {None, identity("/proc/self/ns/net")}


def find_processes(wanted, run=None):
    """The ids of the processes in the wanted namespaces; if a run is given, only those that it started."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if identity(f"/proc/{pid}/ns/net") in wanted and (run is None or started_by(pid, run))]


def started_by(pid, run):
    """True if a process has the mark of the run in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as environment:
            return f"{RUN_VARIABLE}={run}".encode() in environment.read().split(b"\0")
    except OSError:
        return False


def end_processes(namespaces, run=None):
    """Kill every such process, and those that it forks meanwhile, until none is left. Returns their number."""
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
    """Kill one process. A handle is opened before its namespace is checked, so a later process with its id is safe."""
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
