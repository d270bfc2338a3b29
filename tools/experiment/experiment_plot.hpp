#pragma once

#include "tools/experiment/outcome.hpp"

#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The figure as gnuplot's commands, a panel for each shape and memory regime side by side: curves
/// with the predictions dashed, stacked bars, or boxes. Empty where no run has anything to show.
std::string gnuplot_commands(const Experiment& experiment, const std::vector<Row>& rows);

/// The number of panels.
int panels_of(const std::vector<Row>& rows);

}  // namespace cuboid::detail::tools
