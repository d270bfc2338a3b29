#include "collectives/algorithms/families.hpp"
#include "collectives/forests/forests.hpp"
#include "collectives/forests/relatives.hpp"
#include "collectives/forests/tree_steps.hpp"
#include "collectives/prices/estimate_rounds.hpp"
#include "collectives/prices/estimate_trees.hpp"
#include "collectives/prices/path_seconds.hpp"

#include <vector>

namespace cuboid::detail {

namespace {

// Blocks that pass every rank, `ways` round at once with an equal part each; an all-reduce passes
// every part round twice.
CostEstimate price_rounds(const Call& call, std::size_t ways) {
  const double once = ring_seconds(call.cost_model.slowest(), call.ranks(), call.bytes() / ways);
  const double peers = call.ranks() - 1;
  const double received = peers / call.ranks() * static_cast<double>(call.bytes());
  const double combined = call.flow() == Flow::multicast ? 0 : received;
  if (call.operation() == Operation::allreduce)
    return estimate_rounds(call, 2 * once, {2 * peers, 2 * received, combined});
  return estimate_rounds(call, static_cast<double>(ways) * once, {peers, received, combined});
}

std::optional<CostEstimate> price_ring(const Call& call) {
  return price_rounds(call, 1);
}

ForestOrRounds build_ring(const Call& call, const Conditions& conditions, const Settings&) {
  if (call.operation() == Operation::allreduce)
    return ring_allreduce(conditions, call.element_bytes());
  return forest_from_tree(conditions, call.flow(), chain);
}

RankPart part_of_ring(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  if (call.operation() == Operation::allreduce)
    return ring_allreduce_part(conditions, call.element_bytes(), rank);
  return part_together(conditions, call.flow(), 1, [rank](int ranks, int root) {
    return std::vector{chain_relatives(ranks, root, rank)};
  });
}

// Two chains with half the message each, priced for ranks that send one message at a time.
std::optional<CostEstimate> price_both_ways(const Call& call) {
  const bool rooted =
      call.operation() == Operation::broadcast || call.operation() == Operation::reduce;
  // The root and the ranks after it send to both sides.
  const TreeSteps steps = chain_steps(call.ranks(), Flow::multicast);
  const double widest = call.ranks() > 1 ? 2 : 1;
  if (rooted)
    return estimate_trees(call, {steps.first + widest - 1, widest, steps.depth, widest}, 2);
  return price_rounds(call, 2);
}

ForestOrRounds build_both_ways(const Call& call, const Conditions& conditions, const Settings&) {
  return plant_together(conditions, call.flow(), call.element_bytes(), both_chains);
}

RankPart part_both_ways(const Call& call, const Conditions& conditions, const Settings&, int rank) {
  return part_together(conditions, call.flow(), call.element_bytes(), [rank](int ranks, int root) {
    return std::vector{chain_relatives(ranks, root, rank),
                       downward_chain_relatives(ranks, root, rank)};
  });
}

}  // namespace

std::vector<Algorithm> path_algorithms() {
  return {
      {"ring",
       "one chain per block around the ring of ranks",
       {Operation::allreduce, Operation::allgather, Operation::reduce_scatter},
       false,
       of_trees,
       price_ring,
       build_ring,
       part_of_ring},
      {"bidirectional_ring",
       "chains in both directions around the ring of ranks, half a block each",
       {Operation::broadcast, Operation::reduce, Operation::allgather, Operation::reduce_scatter},
       false,
       of_trees,
       price_both_ways,
       build_both_ways,
       part_both_ways},
      {"direct",
       "every block in one message from its source to its destination",
       {Operation::gather, Operation::scatter, Operation::alltoall},
       true,
       of_trees,
       [](const Call& call) -> std::optional<CostEstimate> {
         const double peers = call.ranks() - 1;
         // An all-to-all's bytes are those of all blocks, a gather's and a scatter's those of one.
         const bool all = call.operation() == Operation::alltoall;
         const std::size_t block =
             all ? call.bytes() / static_cast<std::size_t>(call.ranks()) : call.bytes();
         const double seconds = all ? exchange_seconds(call, block) : root_seconds(call, block);
         return estimate_rounds(
             call, seconds,
             {.rounds = 1, .bytes = peers * static_cast<double>(block), .messages = peers});
       },
       [](const Call&, const Conditions& conditions, const Settings&) -> ForestOrRounds {
         return direct_paths(conditions);
       },
       [](const Call&, const Conditions& conditions, const Settings&, int rank) -> RankPart {
         return direct_paths_part(conditions, rank);
       }},
  };
}

}  // namespace cuboid::detail
