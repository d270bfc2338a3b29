"""What tests on the lab have in common: a network of the test's own, and the command that runs on all its nodes."""

import os
import subprocess
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "tools" / "lab"
COMMAND = os.environ.get("CUBOID_COMMAND", "cuboid")


class OwnLab:
    """The lab under a name of this process's own."""

    def __init__(self, name, seconds):
        self.name = f"{name}-{os.getpid()}"[:20]
        self.seconds = seconds

    def __call__(self, verb, *arguments, check=True, environment=None):
        """Run one of the lab's verbs on this network, for `seconds` at most."""
        done = subprocess.run([str(LAB), verb, "--name", self.name, *arguments], capture_output=True, text=True,
                              timeout=self.seconds, check=False, env=environment)
        if check and done.returncode != 0:
            raise AssertionError(f"lab {verb} {' '.join(arguments)} failed: {done.stderr or done.stdout}")
        return done

    def run(self, *arguments, environment=None):
        """Run the command on every node."""
        return self("run", "--timeout", str(self.seconds), "--", COMMAND, *arguments, environment=environment)
