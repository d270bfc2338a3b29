"""Runs the machine's own tools, one after the other or many at the same time."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

from .errors import LabError
from .signals import end_held_back

SIDE_BY_SIDE = 8


def run(command, text=""):
    """The output of a command that must succeed.

    The command runs in its own session. So Ctrl-C interrupts the lab, which undoes its work, and not the tool.
    """
    done = subprocess.run(command, input=text, text=True, capture_output=True, start_new_session=True, check=False)
    if done.returncode != 0:
        reason = (done.stderr.strip() or f"exit code {done.returncode}").replace("\n", "; ")
        raise LabError(f"{command[0]} failed: {reason}")
    return done.stdout


def run_all(jobs):
    """The outputs of several (command, text) jobs, in order. No further job begins if the lab is asked to end."""
    with end_held_back() as end_is_asked:
        pool = ThreadPoolExecutor(SIDE_BY_SIDE)
        try:
            return list(pool.map(lambda job: None if end_is_asked() else run(*job), jobs))
        finally:
            pool.shutdown(cancel_futures=True)
