#pragma once

#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// The numbers of "50,90,99", each from 1 to 100. Throws Error(invalid_argument) naming the flag.
std::vector<int> parse_percentiles(const std::string& text);

/// For each percentile p the least of the values that p% of them do not exceed. At least one value;
/// the order does not matter.
std::vector<double> percentiles_of(std::vector<double> values, const std::vector<int>& percentiles);

}  // namespace cuboid::detail::tools
