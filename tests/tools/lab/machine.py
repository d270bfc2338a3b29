"""What tests on the real machine have in common: they need root, and leave nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from paths import LAB
from cuboid_lab.errors import LabError
from cuboid_lab.requirements import check_kernel, check_root, check_tools

ROOT = Path("/run/cuboid-lab")

# Several datagrams to a node nobody listens at: traffic one way, but for a few short complaints back.
SEND = """
import socket, sys
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(50):
    try:
        sender.sendto(bytes(1000), (sys.argv[1], 9))
    except ConnectionRefusedError:
        pass
"""
SENT = 50 * (1000 + 8 + 20 + 14)


def lab(*arguments, **options):
    """Run the lab and return what became of it."""
    return subprocess.run([LAB, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


def traces(name):
    """Whatever of a lab the machine still knows."""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    found = [line for line in mounts if f"{ROOT}/{name}" in line]
    found += [path for path in (ROOT / name, Path("/etc/netns") / name, Path("/run/netns") / name) if path.exists()]
    return found


def cost_model():
    """What of the machine a lab might change and must not."""
    links = json.loads(subprocess.run(["ip", "-json", "link"], capture_output=True, text=True, check=True).stdout)
    return (Path("/etc/hosts").read_text(encoding="utf-8"), sorted(link["ifname"] for link in links),
            Path("/proc/sys/net/ipv4/ip_forward").read_text(encoding="utf-8"), os.uname().nodename)


def heed_interrupts():
    """Undo what a shell does to commands in the background, which would otherwise never see the interrupts we send."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_until(condition):
    """Wait for something that is bound to happen."""
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("waited in vain")
        time.sleep(0.002)


class MachineTest(unittest.TestCase):
    """A test that builds labs; each has a name of its own and is checked to have left nothing."""

    @classmethod
    def setUpClass(cls):
        try:
            check_root()
            check_tools()
            check_kernel()
        except LabError as error:
            reason = "needs root" if os.geteuid() != 0 else str(error)
            print(f"SKIPPED: {reason}: {cls.__module__}.{cls.__name__}", file=sys.stderr, flush=True)
            raise unittest.SkipTest(reason) from None

    def setUp(self):
        self.before = cost_model()
        self.names = []

    def tearDown(self):
        for name in self.names:
            if (ROOT / name).exists():
                self.run_lab("down", "--name", name)
            self.assertEqual(traces(name), [])
        self.assertEqual(cost_model(), self.before)

    def new_name(self):
        """A lab name nobody else uses."""
        self.names.append(f"test-{os.getpid()}-{len(self.names)}")
        return self.names[-1]

    def run_lab(self, *arguments, code=0, **options):
        """Run the lab, expecting an exit code. Returns standard output."""
        done = lab(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout} {done.stderr}")
        return done.stdout

    def up(self, *arguments):
        """Build a lab and return its name."""
        name = self.new_name()
        self.run_lab("up", *arguments, "--name", name)
        return name

    def send(self, name, origin, destination):
        """Send datagrams, and return the cables that carried any byte and those that carried all, as sets of ends."""
        self.run_lab("links", "--reset", "--name", name)
        self.run_lab("exec", origin, "--name", name, "--", "python3", "-c", SEND, destination)
        wait_until(lambda: self.carriers(name)[1])
        return self.carriers(name)

    def carriers(self, name):
        """The cables that carried anything, and the directions that carried all datagrams."""
        links = json.loads(self.run_lab("links", "--json", "--name", name))["links"]
        return ({frozenset((link["from"], link["to"])) for link in links if link["bytes"]},
                [(link["from"], link["to"]) for link in links if link["bytes"] >= SENT])
