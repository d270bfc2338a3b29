"""The HTML that notebooks show for an object."""

from __future__ import annotations

from html import escape
from typing import Any


def table(title: str, **rows: Any) -> str:
    """A table of names and values below a title."""
    cells = "".join(f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(str(value))}</td></tr>"
                    for name, value in rows.items())
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"
