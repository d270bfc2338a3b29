"""Ctrl-C and its kin: one way to be interrupted, and no interruption while undoing."""

import signal
from contextlib import contextmanager

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_end():
    """Whatever asks the lab to end does so the way Ctrl-C does, so that half-done work is undone.

    What our caller chose to ignore, as nohup does, stays ignored.
    """
    for number in heeded():
        signal.signal(number, interrupt)


def ignore_end():
    """From here on only cleaning up is left, which a second Ctrl-C must not stop half-way."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def end_held_back():
    """What asks us to end meanwhile does so afterwards. Gives a function that tells whether something has.

    Raised among threads it would end one that holds a lock, for which the others then wait for ever.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    held = set(heeded()) - before
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, held)
        yield lambda: not signal.sigpending().isdisjoint(held)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def heeded():
    """The signals that are not ignored."""
    return [number for number in ENDING if signal.getsignal(number) != signal.SIG_IGN]


def interrupt(*_):
    """The handler."""
    raise KeyboardInterrupt
