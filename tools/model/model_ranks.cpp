#include "tools/model/model_ranks.hpp"

#include "collectives/selection/modelled_call.hpp"
#include "tools/machine/modelled_group.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/provenance/provenance.hpp"

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Refuses more ranks than the machine's nodes and cores can have, if the user counts ranks by
/// node.
void check_room(const RanksFlags& flags, std::int64_t ranks, const Machine& machine) {
  const int on_node = *flags.ranks_per_node;
  if (on_node < 1) refuse(fmt::format("--ranks-per-node {}: give at least 1", on_node));
  if (machine.cores_per_node > 0 && on_node > machine.cores_per_node) {
    refuse(fmt::format("--ranks-per-node {}: a node of {} has {:.0f} cores: give at most that",
                       on_node, machine.name, machine.cores_per_node));
  }
  if (machine.nodes > 0 && static_cast<double>(ranks) > machine.nodes * on_node) {
    refuse(fmt::format("--ranks {}: {} has {:.0f} nodes, room for {:.0f} ranks: give at most that",
                       ranks, machine.name, machine.nodes, machine.nodes * on_node));
  }
}

}  // namespace

ModelledRanks ranks_from_flags(const RanksFlags& flags, Machine& machine) {
  constexpr int most_ranks = 1 << 20;
  const auto& [network, ranks, given_on_node, others] = flags;
  const int on_node = given_on_node.value_or(1);
  if (network.empty()) {
    if (!ranks) {
      refuse(fmt::format("--ranks is missing: give {} and either --ranks or --network", others));
    }
    if (*ranks < 1 || *ranks > most_ranks)
      refuse(fmt::format("--ranks {}: give 1 to {}", *ranks, most_ranks));
    if (given_on_node) {
      check_room(flags, *ranks, machine);
      machine = machine.shared_by(on_node);
    }
    note_modelled(*ranks, "");
    return {*ranks, std::nullopt};
  }
  const ShapeSpec spec = network_from_flag(network, machine);
  const std::int64_t all = spec.shape.nodes() * on_node;
  if (all > most_ranks)
    refuse(fmt::format("--network {}: give at most {} nodes", network, most_ranks / on_node));
  if (ranks && *ranks != all) {
    refuse(fmt::format("--ranks {}: --network {} has {} nodes, {} ranks: give that, or none",
                       *ranks, network, spec.shape.nodes(), all));
  }
  set_rate(machine, spec);
  if (given_on_node) {
    check_room(flags, all, machine);
    machine = machine.shared_by(on_node);
  }
  note_modelled(all, spec.shape.to_string());
  return {static_cast<int>(all), Placement::by_node(spec, on_node)};
}

}  // namespace cuboid::detail::tools
