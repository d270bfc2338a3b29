"""Ctrl-C and its kin: one way to be interrupted, and no interruption while undoing."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_end():
    """Whatever asks the lab to end does so the way Ctrl-C does, so that half-done work is undone.

    What our caller chose to ignore, as nohup does, stays ignored.
    """
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)


def ignore_end():
    """From here on only cleaning up is left, which a second Ctrl-C must not stop half-way."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def interrupt(*_):
    """The handler."""
    raise KeyboardInterrupt
