#pragma once

#include <cuboid/discovery.hpp>

#include <string>

namespace cuboid::detail {

/// Draws a discovery as an SVG document. If there is a shape, nodes are drawn at their coordinates,
/// hosts beside their switch, and left-over nodes below; otherwise nodes lie on a circle. The
/// colour of a cable shows its rate. Missing cables are dashed. Ranks and rates are labelled.
std::string draw_svg(const Discovery& discovery);

}  // namespace cuboid::detail
