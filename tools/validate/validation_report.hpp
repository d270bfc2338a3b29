#pragma once

#include "tools/validate/validation.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace cuboid::detail::tools {

/// The result of a run of `cuboid validate`.
struct ValidationReport {
  std::vector<ValidationCase> cases;
  std::size_t left_out =
      0;           ///< algorithms that were not run because they were predicted to take too long
  int visits = 0;  ///< number of times that repetitions of a case were run
  int disturbed_visits =
      0;  ///< these visits do not count if the case was also measured undisturbed
  int ranks = 1;
  bool interrupted = false;  ///< before all was measured
  std::string shape;
  std::string parameters;  ///< the measured parameters, as text
};

/// {"cases": […], "median_error", "p95_error", "selection_regret_median", "selection_regret_max"},
/// and the same per operation. Errors and regret are shares: 0.05 is 5%.
nlohmann::ordered_json to_json(const ValidationReport& report);
/// A line per case.
std::string to_csv(const ValidationReport& report);
/// The summary as text.
std::string to_text(const ValidationReport& report);
/// A self-contained HTML page: plots, largest errors, all cases.
/// @param plots  false: without plots; true: gnuplot draws them; throws as plot_svg()
std::string to_html(const ValidationReport& report, bool plots);

}  // namespace cuboid::detail::tools
