#pragma once

#include "tools/point_to_point/all_pairs.hpp"

#include <string>

namespace cuboid::detail::tools {

/// Two maps of all pairs, a row for each rank that sends and a column for each that receives: what
/// is slow is dark. Gnuplot's commands and their data, as plot_svg() takes them.
struct HeatMap {
  std::string commands;
  std::string data;
};
HeatMap heat_map(const AllPairsResult& result);

/// Draws it to a file. Throws Error(io) if the file cannot be written, and what plot_svg() throws.
void write_heat_map(const std::string& path, const AllPairsResult& result);

}  // namespace cuboid::detail::tools
