"""The network as an SVG picture. The colour of each direction of each cable is its share of the busiest direction.

A shape is drawn on its own grid: first axis down, second to the right, third into the depth; further axes repeat the
block. Cables that close an axis, and second cables of a pair, are bent so that they do not hide others. Any other
network is drawn on a circle. Traffic keeps to the right: of the two lines of a cable, data travels on the line that
is on the right, seen in its direction.
"""

import math
from xml.sax.saxutils import escape

STEP = 110
DEPTH = (0.42, -0.34)
RADIUS = 15
MARGIN = 90
LANE = 2.6
LEGEND_WIDTH = 460
IDLE, BUSY = (208, 212, 218), ((250, 200, 60), (200, 20, 40))


def draw(network, usable, flows, title):
    """The text of an SVG document."""
    title = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in title)
    places = node_places(network)
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
    lines += [draw_flow(network, places, flow, flow.cable in usable) for flow in flows]
    lines += [draw_node(name, place) for name, place in zip(network.names, places)]
    lines += draw_legend(left + 16, top + height + 6, flows)
    return "\n".join(lines + ["</svg>", ""])


def node_places(network):
    """The point at which each node is drawn."""
    count = len(network.names)
    if network.extents is None or (len(network.extents) == 1 and count > 2):
        radius = max(STEP, STEP * count / (2 * math.pi))
        turns = [2 * math.pi * node / count - math.pi / 2 for node in range(count)]
        return [(radius * math.cos(turn), radius * math.sin(turn)) for turn in turns]
    steps = axis_steps(network.extents)
    return [tuple(sum(place * step[side] for place, step in zip(coordinate, steps)) for side in (0, 1))
            for coordinate in network.coordinates]


def axis_steps(extents):
    """The step on paper for each axis: down, right, into the depth; a further axis steps over the axes before it."""
    steps = []
    for first in range(0, len(extents), 3):
        reach = [sum((extent - 1) * abs(step[side]) for extent, step in zip(extents, steps)) + STEP for side in (0, 1)]
        down, right = (0.0, reach[1]), (reach[0], 0.0)
        deep = (DEPTH[0] * reach[0], DEPTH[1] * reach[1])
        steps += [down, right, deep][:len(extents) - first]
    return steps


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


def draw_legend(left, top, flows):
    """The legend of the colours."""
    busiest = max((flow.bytes for flow in flows), default=0)
    swatches = [f'<rect x="{left + 12 * step:.1f}" y="{top:.1f}" width="12" height="12" fill="{colour(step / 10)}"/>'
                for step in range(11)]
    return swatches + [f'<text x="{left + 142:.1f}" y="{top + 11:.1f}">idle to busiest ({busiest} bytes); '
                       'dashed: down</text>']
