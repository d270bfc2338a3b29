"""Ctrl-C and similar signals: all interrupt in the same way, and none interrupts while work is undone."""

import signal
from contextlib import contextmanager

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_end():
    """Every signal that asks the lab to end acts like Ctrl-C, so that half-done work is undone.

    Signals that the caller ignores, as nohup does, stay ignored.
    """
    for number in heeded():
        signal.signal(number, interrupt)


def ignore_end():
    """Ignore these signals: only cleaning up is left, which a second Ctrl-C must not interrupt."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def end_held_back():
    """Signals that ask the lab to end take effect after this block. Yields a function that is true if one has come.

    An exception among threads could end a thread that holds a lock, and the others would wait for it for ever.
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
