#pragma once

#include <cuboid/discovery.hpp>

#include <string>

namespace cuboid::detail {

/// A picture of what was found, as an SVG document: nodes at their coordinates where there is a
/// shape (hosts beside their switch, what is left over below), on a circle otherwise; every cable
/// in the colour of its rate, cables that are missing dashed; ranks and rates written out.
std::string draw_svg(const Discovery& discovery);

}  // namespace cuboid::detail
