"""Cable rates: bits per second, read as Cuboid reads them (topology/shape/rate.hpp)."""

import math
import re

from .errors import UsageError

BITS = {"": 1, "bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9, "tbit": 10**12}
BYTES = {"B/s": 8, "kB/s": 8 * 10**3, "MB/s": 8 * 10**6, "GB/s": 8 * 10**9}
SLOWEST = 10**3
FASTEST = 100 * 10**9
EXPECTED = "expected for example 100mbit, 1.5GB/s or a number of bits per second"
SPELLING = re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?: (?=.))?(.*)")


def parse_rate(value):
    """A rate in bits per second, from text such as 100mbit or from a number.

    `mbps` and its kin are refused rather than guessed at: to tc they are bytes, to most people bits.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise UsageError(f"bad rate {value!r}: {EXPECTED}")
    match = SPELLING.fullmatch(str(value).strip()[:64])
    unit = BYTES.get(match[2], BITS.get(match[2].lower())) if match else None
    rate = float(match[1]) * unit if unit else math.nan
    if not math.isfinite(rate):
        raise UsageError(f"bad rate {str(value)[:64]!r}: {EXPECTED}")
    if not SLOWEST <= round(rate) <= FASTEST:
        raise UsageError(f"bad rate {str(value)!r}: must lie between 1kbit and 100gbit")
    return round(rate)


def format_rate(rate):
    """The shortest exact spelling of a rate that parse_rate reads back."""
    for unit in ("gbit", "mbit", "kbit"):
        if rate % BITS[unit] == 0:
            return f"{rate // BITS[unit]}{unit}"
    return f"{rate}bit"
