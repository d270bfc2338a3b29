#include <cuboid/collectives/algorithms/families.hpp>
#include <cuboid/collectives/forests/forests.hpp>
#include <cuboid/topology/shape_bounds.hpp>

#include <algorithm>

namespace cuboid {

namespace {

/// Seconds over a network of an all-to-all, every rank's blocks all at once. On a box of nodes they
/// go the shortest ways, which load its busiest links as its bound has it; where the links are not
/// known, they come one after the other.
double alltoall_seconds(const Call& call, std::size_t block) {
  const Surroundings& surroundings = call.surroundings;
  const GroupNodes& nodes = surroundings.nodes;
  const Hockney& message = surroundings.slowest();
  if (nodes.nodes() == 1 || !nodes.shape) return flat_seconds(message, call.ranks(), block);
  const double peers = call.ranks() - 1;
  const double ranks_of_a_node = static_cast<double>(call.ranks()) / nodes.nodes();
  const double rate = alltoall_bound(*nodes.shape, 1 / message.beta);
  const double bytes = static_cast<double>(call.bytes()) * ranks_of_a_node;  // of a node
  return message.alpha + surroundings.network_overhead * (peers - 1) +
         std::max(bytes / rate,
                  surroundings.injection_seconds(bytes * (nodes.nodes() - 1) / nodes.nodes()));
}

}  // namespace

std::vector<Algorithm> path_algorithms() {
  return {
      {"direct",
       "every block straight from its origin to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       [](const Call& call) -> std::optional<Quote> {
         const double peers = call.ranks() - 1;
         // An all-to-all's bytes are those of all blocks, a gather's and a scatter's those of one.
         const bool all = call.operation() == Operation::alltoall;
         const std::size_t block =
             all ? call.bytes() / static_cast<std::size_t>(call.ranks()) : call.bytes();
         const double seconds =
             all ? alltoall_seconds(call, block)
                 : flat_seconds(call.surroundings.slowest(), call.ranks(), block);
         return quote_rounds(
             call, seconds,
             {.rounds = 1, .bytes = peers * static_cast<double>(block), .messages = peers});
       },
       [](const Call&, const Contract& contract, const Settings&) -> ForestOrRounds {
         return direct_paths(contract);
       }},
  };
}

}  // namespace cuboid
