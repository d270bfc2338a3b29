"""The network as an SVG picture, each direction of each cable coloured by how busy it was beside the busiest.

A shape is drawn on its own grid: the last axis to the right, the one before down. With more axes the planes of these
two are drawn beside each other, and below them the lines along each other axis, so that no cable runs across a plane.
Cables that close an axis, and second cables of a pair, are bent so that they do not hide others. Any other network is
drawn on a circle. Traffic keeps to the right: of the two lines of a cable, the one to the right as one travels is the
one travelled.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple
from xml.sax.saxutils import escape

STEP = 110
GAP = 150  # between panels
PLANES_IN_A_ROW = 4
RADIUS = 15
MARGIN = 90
LANE = 2.6
LEGEND_WIDTH = 460
IDLE, BUSY = (208, 212, 218), ((250, 200, 60), (200, 20, 40))


class Panel(NamedTuple):
    """A part of the picture: where its nodes are, by number, and which cables it shows."""

    caption: str
    places: dict[int, tuple[float, float]]
    cables: Iterable[int]


def draw(network, usable, flows, title):
    """The text of an SVG document."""
    title = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in title)
    panels = panels_of(network)
    places = [place for panel in panels for place in panel.places.values()]
    panel_of = {cable: panel for panel in panels for cable in panel.cables}
    left, top = (min(place[side] for place in places) - MARGIN for side in (0, 1))
    width, height = (max(place[side] for place in places) + MARGIN - low for side, low in ((0, left), (1, top)))
    width = max(width, LEGEND_WIDTH)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top - 30:.1f} {width:.1f} {height + 60:.1f}" '
        'font-family="sans-serif" font-size="12">',
        f'<title>{escape(title)}</title>',
        f'<rect x="{left:.1f}" y="{top - 30:.1f}" width="{width:.1f}" height="{height + 60:.1f}" fill="white"/>',
        f'<text x="{left + 16:.1f}" y="{top - 6:.1f}" font-size="14">{escape(title)}</text>',
    ]
    lines += [draw_flow(network, panel_of[flow.cable].places, flow, flow.cable in usable) for flow in flows]
    for panel in panels:
        lines += [draw_node(network.names[node], place) for node, place in panel.places.items()]
        if panel.caption:
            lines.append(draw_caption(panel))
    lines += draw_legend(left + 16, top + height + 6, flows)
    return "\n".join(lines + ["</svg>", ""])


def panels_of(network):
    """The parts of the picture. Each cable is in one of them; a node is in each that has cables of it."""
    if network.extents is None or (len(network.extents) == 1 and len(network.names) > 2):
        return [Panel("", on_a_circle(len(network.names)), range(len(network.cables)))]
    if len(network.extents) <= 2:
        return [Panel("", {node: on_the_grid(coordinate) for node, coordinate in enumerate(network.coordinates)},
                      range(len(network.cables)))]
    panels = []
    axes = len(network.extents)
    bottom = append_panels(panels, network, (axes - 2, axes - 1), 0, PLANES_IN_A_ROW)
    width = max(x for panel in panels for x, _ in panel.places.values()) + GAP
    for axis, extent in enumerate(network.extents[:-2]):
        columns = max(1, round(width / ((extent - 1) * STEP + GAP)))
        bottom = append_panels(panels, network, (axis,), bottom, columns)
    return panels


def append_panels(panels, network, axes, top, columns):
    """Adds a panel for each plane, or line, along these axes, in rows of so many; returns where the last row ends."""
    places_of = {}
    for node, coordinate in enumerate(network.coordinates):
        fixed = tuple("·" if axis in axes else place for axis, place in enumerate(coordinate))
        place = on_the_grid([coordinate[axis] for axis in axes] if len(axes) == 2 else (0, coordinate[axes[0]]))
        places_of.setdefault(fixed, {})[node] = place
    width, height = (max(place[side] for place in next(iter(places_of.values())).values()) + GAP for side in (0, 1))
    for number, (fixed, places) in enumerate(places_of.items()):
        left, down = width * (number % columns), top + height * (number // columns)
        cables = [cable for cable, ends in enumerate(network.cables) if ends.axis in axes and ends.ends[0] in places]
        panels.append(Panel(f"({', '.join(map(str, fixed))})",
                            {node: (left + x, down + y) for node, (x, y) in places.items()}, cables))
    return top + height * math.ceil(len(places_of) / columns)


def on_a_circle(count):
    radius = max(STEP, STEP * count / (2 * math.pi))
    turns = [2 * math.pi * node / count - math.pi / 2 for node in range(count)]
    return {node: (radius * math.cos(turn), radius * math.sin(turn)) for node, turn in enumerate(turns)}


def on_the_grid(coordinate):
    """The first axis goes down, the second, if there is one, to the right."""
    down, right = (*coordinate, 0)[:2]
    return (right * STEP, down * STEP)


def draw_flow(network, places, flow, up):
    """One direction of a cable, bent if it would run over others."""
    start, end = places[flow.sender], places[flow.receiver]
    length = math.dist(start, end)
    across = ((start[1] - end[1]) / length, (end[0] - start[0]) / length)
    bend = bend_of(network, flow.cable) * (0.16 * length + 18)
    if flow.sender > flow.receiver:
        bend = -bend
    start, end = (tuple(place[side] + LANE * across[side] for side in (0, 1)) for place in (start, end))
    middle = tuple((start[side] + end[side]) / 2 + (bend * 2 + LANE) * across[side] for side in (0, 1))
    names = network.names
    state = f"{flow.bytes} bytes ({100 * flow.share:.1f} %)" if up else "down"
    dashes = "" if up else ' stroke-dasharray="3 5"'
    return (f'<path d="M{start[0]:.1f} {start[1]:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}" '
            f'fill="none" stroke="{colour(flow.share)}" stroke-width="{2 + 2 * flow.share:.1f}"{dashes}>'
            f'<title>{escape(names[flow.sender])} to {escape(names[flow.receiver])}: {state}</title></path>')


def bend_of(network, number):
    """How much a cable is bent to the right, seen from its lower node. It is bent only if it would hide others."""
    cable = network.cables[number]
    siblings = network.cables_between(*cable.ends)
    if len(siblings) > 1:
        return siblings.index(number) - (len(siblings) - 1) / 2
    closes = network.extents is not None and len(network.extents) > 1 and cable.ends[0] > cable.ends[1]
    return -1 if closes else 0


def colour(share):
    """Grey for an idle cable, from yellow to red for a busy one."""
    if share == 0:
        red, green, blue = IDLE
    else:
        red, green, blue = (round(low + share * (high - low)) for low, high in zip(*BUSY))
    return f"#{red:02x}{green:02x}{blue:02x}"


def draw_node(name, place):
    """A node with its name."""
    return (f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{RADIUS}" fill="#f4f6fa" stroke="#39424e"/>'
            f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" text-anchor="middle">{escape(name)}</text>')


def draw_caption(panel):
    """The coordinates that the panel's nodes have in common, below it."""
    left, bottom = (pick(place[side] for place in panel.places.values()) for side, pick in ((0, min), (1, max)))
    return f'<text x="{left:.1f}" y="{bottom + 36:.1f}" fill="#39424e">{escape(panel.caption)}</text>'


def draw_legend(left, top, flows):
    """What the colours mean."""
    busiest = max(((flow.share, flow.bytes) for flow in flows), default=(0, 0))
    swatches = [f'<rect x="{left + 12 * step:.1f}" y="{top:.1f}" width="12" height="12" fill="{colour(step / 10)}"/>'
                for step in range(11)]
    return swatches + [f'<text x="{left + 142:.1f}" y="{top + 11:.1f}">idle to busiest ({busiest[1]} bytes); '
                       'dashed: down</text>']
