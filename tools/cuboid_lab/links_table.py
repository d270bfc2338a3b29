"""Traffic as a table for people and as a document for programs."""

from .addresses import device_name
from .rate import format_rate


def describe_flow(lab, flow):
    """One direction of a cable, as in `lab links --json`."""
    network = lab.network
    return {
        "cable": flow.cable,
        "from": network.names[flow.sender],
        "to": network.names[flow.receiver],
        "from_device": device_name(network.device(flow.sender, flow.cable)),
        "to_device": device_name(network.device(flow.receiver, flow.cable)),
        "rate": network.cables[flow.cable].rate,
        "up": flow.cable in lab.usable(),
        "bytes": flow.bytes,
        "share": round(flow.share, 6),
    }


def links_document(lab, flows, seconds):
    """The document that `lab links --json` prints. `seconds` is the time in which the bytes were carried."""
    return {
        "name": lab.name,
        "seconds": round(seconds, 3),
        "busiest_bytes": max((flow.bytes for flow in flows), default=0),
        "total_bytes": sum(flow.bytes for flow in flows),
        "links": [describe_flow(lab, flow) for flow in flows],
    }


def links_table(lab, flows):
    """One line per direction of a cable, with its share of the busiest direction as a number and as a bar."""
    rows = [("FROM", "DEVICE", "TO", "DEVICE", "RATE", "BYTES", "SHARE", "")]
    for flow in flows:
        link = describe_flow(lab, flow)
        bar = "#" * round(20 * flow.share) if link["up"] else "down"
        rows.append((link["from"], link["from_device"], link["to"], link["to_device"], format_rate(link["rate"]),
                     str(link["bytes"]), f"{100 * flow.share:.1f}%", bar))
    return format_table(rows, right={4, 5, 6})


def format_table(rows, right=frozenset()):
    """Rows in columns; the columns named in `right` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if place in right else cell.ljust(width)
                 for place, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
