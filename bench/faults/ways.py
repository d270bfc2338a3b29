"""How the ranks of a trial are started, ended and watched: one class for each way."""

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "tools" / "lab"


class NotMet(Exception):
    """The ranks did not start to work at all."""


class NotStruck(Exception):
    """The ranks had ended before the victim came to its step."""


class Outcome:
    """The survivors' exit codes (None for one that did not end), what each printed, where the victim failed, and what is
    wrong with the files that they wrote."""

    def __init__(self, codes, said, where="", left=(), damaged=()):
        self.codes, self.said, self.where, self.left, self.damaged = codes, said, where, left, damaged


class Way:
    """A way to run ranks. `ends` are the ways in which a rank may fail there."""

    name = ""
    ends = ()
    gone = ()  # those of `ends` that no rank comes back from
    operations = ("allreduce", "broadcast", "alltoall", "exchange", "groups", "windows", "shrink", "summa", "srumma", "carma",
                  "cosma", "lu", "write .npy", "write .mtx", "write .h5")
    at_once = True  # whether trials may run at the same time
    fewest_ranks = 2

    def __init__(self, program, deadline, patience):
        self.program, self.deadline, self.patience = program, deadline, patience

    def environment(self):
        return dict(os.environ, CUBOID_TIMEOUT=str(self.deadline), UCX_LOG_LEVEL="fatal", UCX_WARN_INVALID_CONFIG="n")

    def draws(self, options, end, chance):
        """For each trial: its number, the ranks, the victim, and when it fails, in seconds of work."""
        found = []
        for number in range(options.trials or 20):
            ranks = options.ranks or chance.randrange(self.fewest_ranks, 7)
            seconds_of_work = chance.uniform(0.0, 0.7)  # several rounds of all operations
            found.append((number, ranks, chance.randrange(ranks), seconds_of_work))
        return found

    def wait_until_ready(self, folder, ranks):
        """Waits until all ranks work, and returns their process ids."""
        until = time.monotonic() + 120
        files = [Path(folder) / f"ready.{rank}" for rank in range(ranks)]
        while not all(file.exists() for file in files):
            if time.monotonic() > until:
                raise NotMet("the ranks did not meet: " + " ".join(said(folder, ranks).values()))
            time.sleep(0.01)
        return [int(file.read_text()) for file in files]

    def wait_until_ended(self, processes, but=None):
        """Waits for some processes, and also polls the victim: a dead process looks alive until it is waited for."""
        until = time.monotonic() + self.patience
        while any(process.poll() is None for process in processes) and time.monotonic() < until:
            if but:
                but.poll()
            time.sleep(0.02)


def said(folder, ranks):
    """The errors that the ranks wrote."""
    found = {}
    for rank in range(ranks):
        file = Path(folder) / f"error.{rank}"
        found[rank] = file.read_text().strip() if file.exists() else ""
    return found


def files_of(folder, gone):
    """Temporary files that were left in a folder, and results that are not whole: neither an old version nor a new one. A
    victim that may come back, and so is not `gone`, keeps its temporary file; the next run removes it."""
    folder = Path(folder)
    left = [file.name for file in folder.glob("*.part-*")] if gone else []
    damaged = []
    for whole in folder.glob("whole.*"):
        result = whole.with_name(whole.name.replace("whole", "result"))
        # An HDF5 file holds times.
        if result.exists() and (result.stat().st_size != whole.stat().st_size
                                or whole.suffix != ".h5" and result.read_bytes() != whole.read_bytes()):
            damaged.append(result.name)
    return left, damaged


def end_all(processes):
    """Ends processes and returns what they wrote."""
    for process in processes:
        process.kill()
    return [process.communicate()[1] for process in processes]


class Processes(Way):
    """Processes without a launcher, over shared memory."""

    name = "processes"
    ends = ("kill", "stop", "throw")
    gone = ("kill", "throw")

    def start(self, folder, operation, rank, ranks):
        return subprocess.Popen([self.program, folder, operation, "process", str(rank), str(ranks)],
                                env=self.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)

    def strike(self, process, end):
        process.send_signal({"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "throw": signal.SIGUSR1}[end])

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
        return Outcome(codes, {rank: errors[rank] or written[rank] for rank in codes}, "",
                       *files_of(folder, end in self.gone))


class Tcp(Processes):
    """The same over TCP, where the owners of windows serve puts and gets."""

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
        return Outcome({rank: code for rank in survivors}, {rank: errors[rank] or written[0] for rank in survivors}, "",
                       *files_of(folder, end in self.gone))


class Mpirun(Way):
    """Processes under mpirun, which ends all ranks when one has died, and names it, too."""

    name = "mpirun"
    ends = ("kill", "stop")
    gone = ("kill",)

    def command(self, folder, operation, ranks):
        command = ["mpirun", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none", "-n", str(ranks)]
        if os.geteuid() == 0:
            command.insert(1, "--allow-run-as-root")
        return [*command, self.program, folder, operation, "mpi"]

    def start(self, command):
        return subprocess.Popen(command, env=self.environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                text=True, start_new_session=True)

    def outcome(self, folder, ranks, victim, code, written):
        errors = said(folder, ranks)
        survivors = [rank for rank in range(ranks) if rank != victim]
        # A rank that mpirun ended before it could print anything is reported by mpirun itself.
        code = 3 if code not in (None, 0) and "signal 11" not in written and "signal 6" not in written else code
        # mpirun kills the others, too, before they can remove the victim's temporary file: the next run does.
        return Outcome({rank: code for rank in survivors}, {rank: errors[rank] or written for rank in survivors}, "",
                       *files_of(folder, False))

    def trial(self, folder, operation, ranks, victim, end, after):
        mpirun = self.start(self.command(folder, operation, ranks))
        numbers = []
        try:
            numbers = self.wait_until_ready(folder, ranks)
            time.sleep(after)
            os.kill(numbers[victim], signal.SIGKILL if end == "kill" else signal.SIGSTOP)
            self.wait_until_ended([mpirun])
            code = mpirun.poll()
        finally:
            for number in numbers:  # this trial's own ranks: if mpirun did not end, they still run
                if mpirun.poll() is None:
                    os.kill(number, signal.SIGKILL)
            written = end_all([mpirun])[0]
        return self.outcome(folder, ranks, victim, code, written)


class StartUp(Mpirun):
    """Under mpirun, a rank is struck while the ranks meet: at a call of MPI or UCX, the step. Needs bench_fault_steps."""

    name = "start-up"
    operations = ("start-up",)

    def run_until(self, folder, ranks, victim, settings):
        """Runs the ranks, and returns mpirun's exit code (None if it had to be ended), what it wrote, and the steps."""
        steps = Path(folder) / "steps"
        settings = {"LD_PRELOAD": self.program.parent / "libbench_fault_steps.so", "CUBOID_FAULT_STEPS": steps,
                    "CUBOID_FAULT_RANK": victim, **settings}
        command = self.command(folder, "start-up", ranks)
        command[1:1] = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
        mpirun = self.start(command)
        try:
            self.wait_until_ended([mpirun])
            code = mpirun.poll()
        finally:
            if mpirun.poll() is None:
                mpirun.terminate()  # it ends its ranks first
                self.wait_until_ended([mpirun])
            written = end_all([mpirun])[0]
        return code, written, steps.read_text().splitlines() if steps.exists() else []

    def draws(self, options, end, chance):
        """Each step of a start-up is struck, of a rank other than the first, the first, and the last, in turns."""
        ranks = options.ranks or 4
        with tempfile.TemporaryDirectory(prefix="cuboid-faults-") as folder:
            code, written, steps = self.run_until(folder, ranks, 0, {})
        if code != 0 or not steps:
            raise NotMet(f"the ranks did not meet: {written}")
        count = min(options.trials, len(steps)) or len(steps)
        numbers = [1 + at * len(steps) // count for at in range(count)]
        return [(step, ranks, (2, 0, ranks - 1)[at % 3] % ranks, step) for at, step in enumerate(numbers)]

    def trial(self, folder, operation, ranks, victim, end, step):
        code, written, steps = self.run_until(folder, ranks, victim, {"CUBOID_FAULT_STEP": step, "CUBOID_FAULT_END": end})
        if len(steps) < step:
            raise NotStruck
        outcome = self.outcome(folder, ranks, victim, code, written if end == "kill" else "")  # else each says it itself
        outcome.where = f" at {steps[-1]}"
        return outcome


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


WAYS = {"processes": Processes, "tcp": Tcp, "threads": Threads, "mpirun": Mpirun, "start-up": StartUp, "lab": Lab}
