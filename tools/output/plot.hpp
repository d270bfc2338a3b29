#pragma once

#include "tools/figures/figure.hpp"

#include <cstddef>
#include <string>

namespace cuboid::detail::tools {

/// Gnuplot's commands for a plot, including its data.
std::string gnuplot_commands(const Plot& plot);

/// As many curves as a reader can tell apart.
inline constexpr std::size_t readable_curves = 6;

/// Leaves the `most` curves that come nearest to the best, as a mean over all x, in their order.
/// The title says how many there were.
/// @param higher  true: of two values the higher is the better.
void keep_best(Plot& plot, std::size_t most, bool higher);

/// Draws a plot to an SVG file with gnuplot. Throws Error(io) if the file cannot be written; other
/// errors as in require_gnuplot() and plot_svg().
void write_svg(const std::string& path, const Plot& plot);

}  // namespace cuboid::detail::tools
