#pragma once

#include <string>

namespace cuboid::detail::tools {

/// Throws Error(unsupported) saying how to get it where gnuplot is not installed: to be called
/// before anything takes long.
void require_gnuplot();

/// Has gnuplot draw, and gives the drawing as an <svg> element, to be put into a page.
/// @param commands  what to plot; $data is `data`.
/// @param data  lines of columns, blocks of them apart by two empty lines.
/// Throws Error(io) with what gnuplot says where it fails.
std::string plot_svg(const std::string& commands, const std::string& data);

}  // namespace cuboid::detail::tools
