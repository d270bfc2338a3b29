#pragma once

#include "tools/experiment/outcome.hpp"

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The experiments by name, one per line.
std::string experiments_text();
nlohmann::ordered_json experiments_json();

/// A table of what the figure shows, with measured and modelled costs of each run side by side, or
/// for distributions a line for each curve; then the runs that failed.
std::string to_text(const Experiment& experiment, const std::vector<Row>& rows);

/// {name, source, summary, rows: [{variant, panel, ranks, m, n, k, bytes, x, measured: {…},
/// modelled: {…}, command, error}]}; unknown costs are null.
nlohmann::ordered_json to_json(const Experiment& experiment, const std::vector<Row>& rows);

/// One line per run, after a line of the columns' names. Names of modelled costs begin with
/// "modelled_".
std::string to_csv(const Experiment& experiment, const std::vector<Row>& rows);

}  // namespace cuboid::detail::tools
