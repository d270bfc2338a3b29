#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A coordinate from text such as "2,0,1". Throws Error(parse) naming `origin`, for numbers below 0
/// and more than Shape::max_axes of them too.
Coordinate parse_coordinate(const std::string& text, const std::string& origin);

/// Each host's coordinate as its ranks give it; nullopt if no rank gives any. Throws
/// Error(mismatch) if only some do, ranks of one host differ, two hosts have the same, or the
/// numbers of axes differ; Error(parse).
std::optional<std::vector<Coordinate>> coordinates_of_hosts(std::span<const LocalReport> reports,
                                                            const Hosts& hosts);

/// The network of machines that give every rank its node's coordinate. The shape is the one given
/// with it, else the mesh that the coordinates fill, counted from the smallest of each axis,
/// without wrap-around cables. Throws as coordinates_of_hosts(), and Error(mismatch) for
/// coordinates outside the shape, holes in the mesh, and shapes that differ. Declines if no rank
/// has a coordinate.
Answer network_of_coordinates(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
