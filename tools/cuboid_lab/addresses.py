"""Addresses and device names: fixed functions of a node's and a port's number, the same in every lab.

All labs may have the same ones because no packet of one lab can reach another. Names tell nothing of the shape: it is
there to be discovered.
"""


def node_address(node):
    """The IPv4 address of a node. A node has only one."""
    return f"10.0.{(node + 1) >> 8}.{(node + 1) & 255}"


def port_address(node, port):
    """The Ethernet address of a port, from the locally administered range."""
    return f"02:00:00:{node >> 8:02x}:{node & 255:02x}:{port:02x}"


def device_name(port):
    """The device of a port."""
    return f"eth{port}"


def hosts_file(network):
    """The text that every node reads as /etc/hosts."""
    lines = ["127.0.0.1 localhost"]
    lines += [f"{node_address(node)} {name}" for node, name in enumerate(network.names)]
    return "\n".join(lines) + "\n"
