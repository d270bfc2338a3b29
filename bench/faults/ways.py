"""How the ranks of a trial are started, ended and watched: one class for each way."""

import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "tools" / "lab"


class NotMet(Exception):
    """The ranks did not start the operation."""


class Outcome:
    """How the survivors ended (an exit code each, None for one that did not), and what each said."""

    def __init__(self, codes, said, launcher=""):
        self.codes, self.said, self.launcher = codes, said, launcher


class Way:
    """A way to run ranks. `ends` are the ways in which a rank may fail there."""

    name = ""
    ends = ()
    gone = ()  # those of them that no rank comes back from
    at_once = True  # whether trials may run beside each other
    fewest_ranks = 2

    def __init__(self, program, deadline, patience):
        self.program, self.deadline, self.patience = program, deadline, patience

    def environment(self):
        return dict(os.environ, CUBOID_TIMEOUT=str(self.deadline), UCX_LOG_LEVEL="fatal", UCX_WARN_INVALID_CONFIG="n")

    def wait_until_ready(self, folder, ranks):
        """Waits until all ranks have started the operation; returns their process ids."""
        until = time.monotonic() + 120
        files = [Path(folder) / f"ready.{rank}" for rank in range(ranks)]
        while not all(file.exists() for file in files):
            if time.monotonic() > until:
                raise NotMet("the ranks did not meet: " + " ".join(said(folder, ranks).values()))
            time.sleep(0.01)
        return [int(file.read_text()) for file in files]

    def wait_until_ended(self, processes, but=None):
        """Waits for some processes, while it also asks for the victim: a dead one that nobody has asked for looks alive."""
        until = time.monotonic() + self.patience
        while any(process.poll() is None for process in processes) and time.monotonic() < until:
            if but:
                but.poll()
            time.sleep(0.02)


def said(folder, ranks):
    """The errors that the ranks wrote to the folder."""
    found = {}
    for rank in range(ranks):
        file = Path(folder) / f"error.{rank}"
        found[rank] = file.read_text().strip() if file.exists() else ""
    return found


def end_all(processes):
    """Ends processes and returns what they wrote."""
    for process in processes:
        process.kill()
    return [process.communicate()[1] for process in processes]


class Processes(Way):
    """Processes without a launcher, over shared memory."""

    name = "processes"
    ends = ("kill", "stop")
    gone = ("kill",)

    def start(self, folder, operation, rank, ranks):
        return subprocess.Popen([self.program, folder, operation, "process", str(rank), str(ranks)],
                                env=self.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def strike(self, process, end):
        process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGSTOP)

    def trial(self, folder, operation, ranks, victim, end, after):
        processes = [self.start(folder, operation, rank, ranks) for rank in range(ranks)]
        try:
            self.wait_until_ready(folder, ranks)
            time.sleep(after)
            self.strike(processes[victim], end)
            survivors = [process for rank, process in enumerate(processes) if rank != victim]
            self.wait_until_ended(survivors, processes[victim])
            codes = {rank: process.poll() for rank, process in enumerate(processes) if rank != victim}
        finally:
            written = end_all(processes)
        errors = said(folder, ranks)
        return Outcome(codes, {rank: errors[rank] or written[rank] for rank in codes})


class Tcp(Processes):
    """Processes without a launcher, over TCP; the owners of windows serve accesses to them."""

    name = "processes, TCP"

    def environment(self):
        return dict(super().environment(), UCX_TLS="tcp,self", UCX_NET_DEVICES="lo")


class Threads(Way):
    """Ranks that are threads of a process: one leaves by an exception, or stalls between two calls."""

    name = "threads"
    ends = ("leave", "stall")
    gone = ("leave",)

    def trial(self, folder, operation, ranks, victim, end, after):
        process = subprocess.Popen([self.program, folder, operation, "threads", str(ranks), str(victim), end, str(after)],
                                   env=self.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            self.wait_until_ready(folder, ranks)
            self.wait_until_ended([process])
            code = process.poll()
        finally:
            written = end_all([process])
        errors = said(folder, ranks)
        survivors = [rank for rank in range(ranks) if rank != victim]
        return Outcome({rank: code for rank in survivors}, {rank: errors[rank] or written[0] for rank in survivors})


class Mpirun(Way):
    """Under mpirun, which ends all ranks when one has died, and names it, too."""

    name = "mpirun"
    ends = ("kill", "stop")
    gone = ("kill",)

    def trial(self, folder, operation, ranks, victim, end, after):
        command = ["mpirun", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none", "-n", str(ranks)]
        if os.geteuid() == 0:
            command.insert(1, "--allow-run-as-root")
        mpirun = subprocess.Popen([*command, self.program, folder, operation, "mpi"], env=self.environment(),
                                  stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True)
        numbers = []
        try:
            numbers = self.wait_until_ready(folder, ranks)
            time.sleep(after)
            os.kill(numbers[victim], signal.SIGKILL if end == "kill" else signal.SIGSTOP)
            self.wait_until_ended([mpirun])
            code = mpirun.poll()
        finally:
            for number in numbers:  # of this trial's own ranks: where mpirun did not end, they run still
                if mpirun.poll() is None:
                    os.kill(number, signal.SIGKILL)
            written = end_all([mpirun])[0]
        errors = said(folder, ranks)
        survivors = [rank for rank in range(ranks) if rank != victim]
        # What mpirun ended before it could say anything is in mpirun's own words.
        code = 3 if code not in (None, 0) and "signal 11" not in written and "signal 6" not in written else code
        return Outcome({rank: code for rank in survivors}, {rank: errors[rank] or written for rank in survivors})


class Lab(Processes):
    """One rank in each node of an emulated ring: a node is killed, or all its cables are cut at once."""

    name = "lab"
    ends = ("node killed", "cables cut")
    gone = ("node killed",)
    at_once = False
    fewest_ranks = 3
    lab_name = f"faults{os.getpid()}"

    def lab(self, *arguments):
        result = subprocess.run([LAB, arguments[0], *arguments[1:], "--name", self.lab_name], capture_output=True,
                                text=True, check=False, timeout=120)
        if result.returncode != 0:
            raise RuntimeError(f"lab {arguments[0]}: {result.stderr}")

    def environment(self):
        return dict(super().environment(), UCX_NET_DEVICES="br0")

    def start(self, folder, operation, rank, ranks):
        return subprocess.Popen([LAB, "exec", "--name", self.lab_name, f"n{rank}", "--", self.program, folder, operation,
                                 "process", str(rank), str(ranks)], env=self.environment(), stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, text=True)

    def trial(self, folder, operation, ranks, victim, end, after):
        self.victim, self.ranks = victim, ranks
        self.lab("up", f"ring:{ranks}", "--rate", "200mbit")
        try:
            return super().trial(folder, operation, ranks, victim, end, after)
        finally:
            self.lab("down")

    def strike(self, process, end):
        if end == "node killed":
            self.lab("kill", f"n{self.victim}")
            return
        for neighbour in (self.victim - 1, self.victim + 1):
            self.lab("cut", f"n{self.victim}", f"n{neighbour % self.ranks}")


WAYS = {"processes": Processes, "tcp": Tcp, "threads": Threads, "mpirun": Mpirun, "lab": Lab}
