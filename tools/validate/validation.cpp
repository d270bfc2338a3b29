#include "tools/validate/validation.hpp"

#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace cuboid::detail::tools {

double ValidationCase::error() const {
  return std::abs(predicted_seconds - measured_seconds) / measured_seconds;
}

ErrorSummary errors_of(std::span<const ValidationCase> cases) {
  std::vector<double> errors;
  for (const ValidationCase& one : cases) errors.push_back(one.error());
  return {errors.size(), median(errors), quantile(errors, 0.95), quantile(errors, 1)};
}

RegretSummary regret_of(std::span<const ValidationCase> cases) {
  struct Group {
    double best = 0;
    double chosen = 0;
  };
  std::map<std::pair<std::string, std::size_t>, Group> groups;
  for (const ValidationCase& one : cases) {
    Group& group = groups[{one.operation, one.bytes}];
    if (group.best == 0 || one.measured_seconds < group.best) group.best = one.measured_seconds;
    if (one.chosen) group.chosen = one.measured_seconds;
  }
  std::vector<double> regrets;
  for (const auto& [call, group] : groups) {
    if (group.chosen > 0) regrets.push_back(group.chosen / group.best - 1);
  }
  return {median(regrets), quantile(regrets, 1)};
}

std::optional<WordRatios> word_ratios_of(std::span<const ValidationCase> cases) {
  std::optional<WordRatios> ratios;
  for (const ValidationCase& one : cases) {
    if (!one.words || one.words->predicted <= 0) continue;
    const double ratio = one.words->sent / one.words->predicted;
    if (!ratios) ratios = {ratio, ratio};
    ratios = {std::min(ratios->least, ratio), std::max(ratios->most, ratio)};
  }
  return ratios;
}

std::vector<ValidationCase> of_operation(std::span<const ValidationCase> cases,
                                         const std::string& operation) {
  std::vector<ValidationCase> found;
  for (const ValidationCase& one : cases) {
    if (one.operation == operation) found.push_back(one);
  }
  return found;
}

std::vector<std::string> operations_of(std::span<const ValidationCase> cases) {
  std::vector<std::string> operations;
  for (const ValidationCase& one : cases) {
    if (std::ranges::find(operations, one.operation) == operations.end())
      operations.push_back(one.operation);
  }
  return operations;
}

}  // namespace cuboid::detail::tools
