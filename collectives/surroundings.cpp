#include <cuboid/collectives/surroundings.hpp>

#include <utility>

namespace cuboid {

namespace {

// Orders of magnitude that hold for any machine of the kind: shared memory, and TCP over a network.
constexpr Hockney within_a_node{.alpha = 0.3e-6, .beta = 1 / 1e10};
constexpr Hockney between_nodes{.alpha = 30e-6, .beta = 1 / 1e8};

}  // namespace

Surroundings surroundings_of(GroupNodes nodes, double ranks_per_core,
                             const Parameters* parameters) {
  Surroundings surroundings{std::move(nodes), between_nodes, within_a_node, ranks_per_core};
  const double link = surroundings.nodes.link_bytes_per_second;
  if (link > 0) surroundings.network.beta = 1 / link;
  if (parameters == nullptr) return surroundings;
  if (parameters->between_nodes) {
    surroundings.network = parameters->between_nodes->message();
    // The group's slowest cable may be another than those that were measured.
    if (link > 0 && parameters->cable_bytes_per_second > 0)
      surroundings.network.beta *= parameters->cable_bytes_per_second / link;
  }
  if (parameters->within_node) surroundings.node = parameters->within_node->message();
  if (parameters->message_overhead) surroundings.overhead = parameters->message_overhead->value;
  if (parameters->turn) surroundings.turn = parameters->turn->value;
  return surroundings;
}

}  // namespace cuboid
