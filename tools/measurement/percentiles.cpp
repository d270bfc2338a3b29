#include "tools/measurement/percentiles.hpp"

#include "tools/output/flag_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

constexpr int all = 100;

}  // namespace

std::vector<int> parse_percentiles(const std::string& text) {
  std::vector<int> percentiles;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int percentile = 0;
    const auto read = std::from_chars(at, end, percentile);
    if (read.ec != std::errc() || percentile < 1 || percentile > all ||
        (read.ptr != end && *read.ptr != ',')) {
      refuse(fmt::format(
          "--tail-lat {}: give percentiles from 1 to 100, e.g. -z50,99, or -z behind all else",
          text));
    }
    percentiles.push_back(percentile);
    if (read.ptr == end) return percentiles;
    at = read.ptr;
  }
}

std::vector<double> percentiles_of(std::vector<double> values,
                                   const std::vector<int>& percentiles) {
  std::ranges::sort(values);
  std::vector<double> found;
  for (const int percentile : percentiles) {
    const std::size_t rank = (values.size() * static_cast<std::size_t>(percentile) + all - 1) / all;
    found.push_back(values[rank - 1]);
  }
  return found;
}

}  // namespace cuboid::detail::tools
