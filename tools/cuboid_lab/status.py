"""A lab, and what was changed since it was built."""

from .addresses import device_name, node_address
from .links_table import format_table
from .namespaces import network_namespace
from .processes import find_processes, identities
from .rate import format_rate


def status_document(lab):
    """The document that `lab status --json` prints."""
    network = lab.network
    usable = lab.usable()
    shape = network.extents and {"extents": list(network.extents), "wraps": list(network.wraps)}
    nodes = [{
        "name": name,
        "coordinate": network.coordinates and list(network.coordinates[node]),
        "address": node_address(node),
        "alive": node not in lab.killed,
        "processes": len(find_processes(identities([network_namespace(lab, node)]))),
    } for node, name in enumerate(network.names)]
    cables = [{
        "ends": [network.names[end] for end in cable.ends],
        "devices": [device_name(network.device(end, number)) for end in cable.ends],
        "rate": cable.rate,
        "up": number in usable,
    } for number, cable in enumerate(network.cables)]
    return {"name": lab.name, "spec": lab.spec, "shape": shape, "ranks_per_node": lab.ranks_per_node, "nodes": nodes,
            "cables": cables}


def status_text(lab):
    """The status as text for people, with a summary of the cables and a list of those that are down."""
    document = status_document(lab)
    cables = document["cables"]
    rates = ", ".join(map(format_rate, sorted({cable["rate"] for cable in cables}))) or "none"
    rows = [("NODE", "COORDINATE", "ADDRESS", "PROCESSES", "")]
    for node in document["nodes"]:
        place = ",".join(map(str, node["coordinate"] or ())) or "-"
        rows.append((node["name"], place, node["address"], str(node["processes"]), "" if node["alive"] else "killed"))
    down = [f"cable {number} between {' and '.join(cable['ends'])} is down"
            for number, cable in enumerate(cables) if not cable["up"]]
    head = (f"lab '{lab.name}': {lab.spec}, {len(document['nodes'])} nodes, {len(cables)} cables (rates: {rates}), "
            f"{lab.ranks_per_node} rank(s) per node")
    return "\n".join([head, format_table(rows, right={3}), *down])
