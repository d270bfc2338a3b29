#pragma once

#include "tools/figures/figure.hpp"

#include <string>

namespace cuboid::detail::tools {

/// Gnuplot's commands for a plot, including its data.
std::string gnuplot_commands(const Plot& plot);

/// Draws a plot to an SVG file with gnuplot. Throws Error(io) if the file cannot be written; other
/// errors as in require_gnuplot() and plot_svg().
void write_svg(const std::string& path, const Plot& plot);

}  // namespace cuboid::detail::tools
