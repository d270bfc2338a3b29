#pragma once

#include "tools/point_to_point/all_pairs.hpp"

#include <string>

namespace cuboid::detail::tools {

/// Two maps of all pairs, with a row for each sender and a column for each receiver; slow pairs are
/// dark. The map consists of gnuplot's commands and their data, as plot_svg() expects them.
struct HeatMap {
  std::string commands;
  std::string data;
};
HeatMap heat_map(const AllPairsResult& result);

/// Draws the maps to a file. Throws Error(io) if the file cannot be written; other errors as in
/// plot_svg().
void write_heat_map(const std::string& path, const AllPairsResult& result);

}  // namespace cuboid::detail::tools
