#pragma once

#include "topology/machine/hosts.hpp"
#include "topology/machine/report.hpp"
#include "topology/sources/answer.hpp"

#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Reads a coordinate from text such as "2,0,1". Throws Error(parse), which names `origin`, also
/// for numbers below 0 and for more than Shape::max_axes numbers.
Coordinate parse_coordinate(const std::string& text, const std::string& origin);

/// Each host's coordinate, as its ranks state it; nullopt if no rank states any. Throws
/// Error(mismatch) if only some ranks do, if ranks of one host differ, if two hosts have the same
/// coordinate, or if the numbers of axes differ; Error(parse).
std::optional<std::vector<Coordinate>> coordinates_of_hosts(std::span<const LocalReport> reports,
                                                            const Hosts& hosts);

/// The network of a machine that tells every rank its node's coordinate. The shape is the one that
/// the ranks state with their coordinates. If they state none, it is the mesh that the coordinates
/// fill, counted from the smallest of each axis, without wrap-around cables. Throws as
/// coordinates_of_hosts(), and Error(mismatch) for coordinates outside the shape, holes in the
/// mesh, and shapes that differ. Declines if no rank has a coordinate.
Answer network_of_coordinates(std::span<const LocalReport> reports, const Hosts& hosts);

}  // namespace cuboid::detail
