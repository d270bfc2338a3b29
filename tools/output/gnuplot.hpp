#pragma once

#include <cuboid/environment.hpp>

#include <string>

namespace cuboid::detail::tools {

/// Throws Error(unsupported) with the remedy if gnuplot is not installed. To be called before long
/// work.
void require_gnuplot();

/// Whether gnuplot is installed, for results that are of use without plots. If it is not, a warning
/// says that they will have none, and what to install. To be called once, before long work.
bool plots_can_be_drawn(const Logger& logger);

/// The text in gnuplot's single quotes, in which only the quote itself is special.
std::string in_gnuplot_quotes(const std::string& text);

/// A size in pixels.
struct PlotSize {
  int width = 640;
  int height = 420;
};

/// Draws with gnuplot and returns the drawing as an <svg> element for a page, with what made it as
/// metadata.
/// @param title     what a viewer calls the drawing.
/// @param commands  gnuplot commands; $data names `data`.
/// @param data      lines of columns; two empty lines separate blocks of lines.
/// Throws Error(io) with gnuplot's message if it fails.
std::string plot_svg(const std::string& title, const std::string& commands, const std::string& data,
                     PlotSize size = {});

}  // namespace cuboid::detail::tools
