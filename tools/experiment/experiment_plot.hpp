#pragma once

#include "tools/experiment/outcome.hpp"

#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The figure as gnuplot's commands, with one panel for each shape and memory regime, side by side:
/// curves with dashed predictions, stacked bars, or box plots. Empty if no run has data to show.
std::string gnuplot_commands(const Experiment& experiment, const std::vector<Row>& rows);

/// The number of panels.
int panels_of(const std::vector<Row>& rows);

}  // namespace cuboid::detail::tools
