#pragma once

#include "tools/validate/validation.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// What a run of `cuboid validate` has to tell.
struct ValidationReport {
  std::vector<ValidationCase> cases;
  std::size_t left_out = 0;  ///< algorithms not run as they were predicted to take too long
  int visits = 0;            ///< how often repetitions of a case were run
  int disturbed_visits = 0;  ///< that do not count if the case was also measured in peace
  int ranks = 1;
  std::string shape;
  std::string parameters;  ///< those measured, for people
};

/// {"cases": […], "median_error", "p95_error", "selection_regret_median", "selection_regret_max"},
/// and the same per operation. Errors and regret are shares: 0.05 is 5%.
nlohmann::ordered_json to_json(const ValidationReport& report);
/// A line per case.
std::string to_csv(const ValidationReport& report);
/// The summary for people.
std::string to_text(const ValidationReport& report);
/// A page that needs nothing beside it: plots, what is off most, all cases. Draws with gnuplot;
/// throws what plot_svg() does.
std::string to_html(const ValidationReport& report);

}  // namespace cuboid::detail::tools
