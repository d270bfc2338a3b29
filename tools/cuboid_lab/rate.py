"""Cable rates: bits per second, read and written the way `tc` users write them."""

import re

from .errors import UsageError

UNITS = {"": 1, "bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
SLOWEST = 10**3
FASTEST = 100 * 10**9
EXPECTED = "expected for example 100mbit, 2.5gbit or a number of bits per second"


def parse_rate(value):
    """A rate in bits per second, from text such as 100mbit or from a number.

    `mbps` and its kin are refused rather than guessed at: to tc they are bytes, to most people bits.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise UsageError(f"bad rate {value!r}: {EXPECTED}")
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s*([a-z]*)", str(value).strip().lower())
    if not match or match[2] not in UNITS:
        raise UsageError(f"bad rate {str(value)!r}: {EXPECTED}")
    rate = round(float(match[1]) * UNITS[match[2]])
    if not SLOWEST <= rate <= FASTEST:
        raise UsageError(f"bad rate {str(value)!r}: must lie between 1kbit and 100gbit")
    return rate


def format_rate(rate):
    """The shortest exact spelling of a rate that parse_rate reads back."""
    for unit in ("gbit", "mbit", "kbit"):
        if rate % UNITS[unit] == 0:
            return f"{rate // UNITS[unit]}{unit}"
    return f"{rate}bit"
