"""Runs on a virtual machine that the hypervisor does not disturb."""

import sys
import time
from pathlib import Path

# The largest share of the cores' time that a hypervisor may take in an undisturbed run.
MOST_STOLEN = 0.05
SECONDS_TO_CALM = 10


def core_ticks():
    """The stolen part of the cores' time since the machine started, and the whole time."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def undisturbed(run, tries=4):
    """What run() returns: of the first try from which a hypervisor took hardly any of the cores' time, or else of the
    one from which it took least; then standard error says so."""
    least, result = None, None
    for number in range(tries):
        if number > 0:
            time.sleep(SECONDS_TO_CALM)
        stolen, total = core_ticks()
        this = run()
        stolen, total = (now - before for now, before in zip(core_ticks(), (stolen, total)))
        share = stolen / max(total, 1)
        if least is None or share < least:
            least, result = share, this
        if share <= MOST_STOLEN:
            return result
    print(f"disturbed: at least {100 * least:.0f}% of the cores' time was taken in {tries} tries", file=sys.stderr)
    return result
