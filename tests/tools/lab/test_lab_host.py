"""Running the machine's tools side by side, also when somebody asks the lab to end meanwhile."""

import signal
import tempfile
import traceback
import unittest

import paths  # noqa: F401  (makes cuboid_lab importable)
from cuboid_lab.errors import LabError
from cuboid_lab.host import run_all

INTERRUPT_US = ["sh", "-c", "kill -INT $PPID"]


class Interrupted(Exception):
    """What the tests' handler raises."""


class RunAll(unittest.TestCase):
    def test_outputs_come_in_order(self):
        self.assertEqual(run_all([(["cat"], str(job)) for job in range(30)]), [str(job) for job in range(30)])
        self.assertEqual(run_all([]), [])

    def test_what_fails_is_told(self):
        with self.assertRaisesRegex(LabError, "sh failed: no luck"):
            run_all([(["true"], ""), (["sh", "-c", "echo no luck >&2; exit 3"], "")])

    def test_an_interrupt_never_strikes_among_the_threads(self):
        struck = []

        def handler(_, frame):
            struck.extend(entry.filename for entry in traceback.extract_stack(frame))
            raise Interrupted

        before = signal.signal(signal.SIGINT, handler)
        try:
            with self.assertRaises(Interrupted):
                run_all([(INTERRUPT_US, "")] + [(["true"], "")] * 20)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertTrue(struck)
        self.assertEqual([file for file in struck if file.endswith("threading.py") or "concurrent" in file], [])

    def test_an_interrupt_keeps_further_jobs_from_beginning(self):
        with tempfile.NamedTemporaryFile() as begun:
            with self.assertRaises(KeyboardInterrupt):
                run_all([(INTERRUPT_US, "")] + [(["sh", "-c", f"echo >> {begun.name}; sleep 0.2"], "")] * 100)
            self.assertLess(len(begun.read()), 50)

    def test_what_is_ignored_interrupts_nothing(self):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            jobs = [(INTERRUPT_US, "")] + [(["echo"], "")] * 20
            self.assertEqual(run_all(jobs), [""] + ["\n"] * 20)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_what_our_caller_holds_back_interrupts_nothing(self):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            jobs = [(INTERRUPT_US, "")] + [(["echo"], "")] * 20
            self.assertEqual(run_all(jobs), [""] + ["\n"] * 20)
        finally:
            signal.sigwait((signal.SIGINT,))
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


if __name__ == "__main__":
    unittest.main()
