#include "topology/network/connected.hpp"

#include <algorithm>
#include <vector>

namespace cuboid::detail {

std::optional<int> unreachable_node(const Network& network) {
  if (network.nodes() == 0) return std::nullopt;
  std::vector<bool> reached(static_cast<std::size_t>(network.nodes()), false);
  std::vector<int> frontier = {0};
  reached[0] = true;
  while (!frontier.empty()) {
    const int node = frontier.back();
    frontier.pop_back();
    for (const int link : network.links_from(node)) {
      const auto next =
          static_cast<std::size_t>(network.links()[static_cast<std::size_t>(link)].to);
      if (reached[next]) continue;
      reached[next] = true;
      frontier.push_back(static_cast<int>(next));
    }
  }
  const auto stranded = std::ranges::find(reached, false);
  if (stranded == reached.end()) return std::nullopt;
  return static_cast<int>(stranded - reached.begin());
}

}  // namespace cuboid::detail
