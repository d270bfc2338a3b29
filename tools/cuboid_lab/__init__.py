"""An emulated network on one Linux machine: namespaces are the nodes, rate-limited veth pairs the cables.

The pure half (rate, network, shape, network_file, addresses, routes, wiring, traffic, picture) computes; the other half
(requirements, namespaces, processes, state, lab, launcher) touches the machine. `commands` is what a person meets.
"""
