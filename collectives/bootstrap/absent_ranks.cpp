#include "collectives/bootstrap/absent_ranks.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

std::string absent_ranks(const std::vector<bool>& came, std::chrono::duration<double> waited) {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < came.size(); ++rank) {
    if (!came[rank]) ranks.push_back(rank);
  }
  constexpr std::size_t most = 16;
  const std::size_t more = ranks.size() - std::min(most, ranks.size());
  ranks.resize(ranks.size() - more);
  return fmt::format(
      "{} {}{} of {} did not come within {} s; look at {} own message, or set CUBOID_TIMEOUT if "
      "that is to be expected",
      ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "),
      more > 0 ? fmt::format(" and {} more", more) : "", came.size(), waited.count(),
      ranks.size() == 1 ? "its" : "their");
}

}  // namespace cuboid::detail
