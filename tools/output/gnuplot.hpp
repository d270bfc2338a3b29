#pragma once

#include <string>

namespace cuboid::detail::tools {

/// Throws Error(unsupported) with the remedy if gnuplot is not installed. Call it before long work.
void require_gnuplot();

/// A text in gnuplot's single quotes, where nothing but the quote is special.
std::string in_gnuplot_quotes(const std::string& text);

/// In pixels.
struct PlotSize {
  int width = 640;
  int height = 420;
};

/// Draws with gnuplot and returns the drawing as an <svg> element for a page.
/// @param commands  what to plot; $data is `data`.
/// @param data  lines of columns, blocks of them apart by two empty lines.
/// Throws Error(io) with gnuplot's message if it fails.
std::string plot_svg(const std::string& commands, const std::string& data, PlotSize size = {});

}  // namespace cuboid::detail::tools
