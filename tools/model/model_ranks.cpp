#include "tools/model/model_ranks.hpp"

#include "collectives/selection/modelled_call.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/output/refuse.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

ModelledRanks ranks_from_flags(const std::string& network, const std::optional<int>& ranks,
                               const char* others, Machine& machine) {
  constexpr int most_ranks = 1 << 20;
  if (network.empty()) {
    if (!ranks) {
      refuse(fmt::format("--ranks is missing: give {} and either --ranks or --network", others));
    }
    if (*ranks < 1 || *ranks > most_ranks)
      refuse(fmt::format("--ranks {}: give 1 to {}", *ranks, most_ranks));
    return {*ranks, std::nullopt};
  }
  const ShapeSpec spec = network_from_flag(network, machine);
  const std::int64_t nodes = spec.shape.nodes();
  if (nodes > most_ranks)
    refuse(fmt::format("--network {}: give at most {} nodes", network, most_ranks));
  if (ranks && *ranks != nodes) {
    refuse(fmt::format("--ranks {}: --network {} has {} nodes: give that, or none", *ranks, network,
                       nodes));
  }
  set_rate(machine, spec);
  return {static_cast<int>(nodes), Placement::by_node(spec, 1)};
}

}  // namespace cuboid::detail::tools
