"""Shapes: torus, mesh, ring, hypercube and products of them, from text such as torus:4x3,mesh:2."""

import math
import re

from .errors import UsageError
from .network import Cable, Network, check_size, coordinate_of

KINDS = ("torus", "mesh", "ring", "hypercube")
EXPECTED = "expected for example torus:4x4, mesh:4x4, torus:4x3,mesh:2, hypercube:4, ring:8 or a file such as net.json"


def parse_axes(spec):
    """The axes of a shape as (extent, wraps) pairs, in the order of the text."""
    axes = []
    for part in spec.split(","):
        kind, _, sizes = part.strip().partition(":")
        if kind not in KINDS or not re.fullmatch(r"[0-9]{1,9}(x[0-9]{1,9})*", sizes):
            raise UsageError(f"bad network {spec!r}: {EXPECTED}")
        extents = [int(size) for size in sizes.split("x")]
        if min(extents) < 1:
            raise UsageError(f"bad network {spec!r}: an extent is at least 1")
        if kind in ("ring", "hypercube") and len(extents) > 1:
            raise UsageError(f"bad network {spec!r}: {kind} takes one number")
        if kind == "hypercube":
            check_size(2 ** min(extents[0], 64))
            extents = [2] * extents[0]
        axes += [(extent, kind in ("torus", "ring")) for extent in extents]
    return axes


def build_shape(axes, rates):
    """The network of a shape: cables from every node to the next along every axis, and round the end if the axis wraps.

    A wrapping axis of extent 2 thus has two cables between its pair of nodes, and an axis of extent 1 none. `rates` has
    one for all axes, or one for each.
    """
    if len(rates) == 1:
        rates = rates * len(axes)
    if len(rates) != len(axes):
        raise UsageError(f"{len(rates)} rates for {len(axes)} axes: give one for all or one for each")
    extents = tuple(extent for extent, _ in axes)
    wraps = tuple(wrap for _, wrap in axes)
    nodes = math.prod(extents)
    check_size(nodes)
    cables = []
    for node in range(nodes):
        coordinate = coordinate_of(node, extents)
        for axis, (extent, wrap) in enumerate(axes):
            stride = math.prod(extents[axis + 1:])
            at_the_end = coordinate[axis] == extent - 1
            if extent > 1 and (wrap or not at_the_end):
                successor = node - (extent - 1) * stride if at_the_end else node + stride
                cables.append(Cable((node, successor), rates[axis], axis))
    names = tuple(f"n{node}" for node in range(nodes))
    return Network(names, tuple(cables), extents, wraps)
