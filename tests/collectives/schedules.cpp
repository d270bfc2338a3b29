#include "schedules.hpp"

#include <cuboid/collectives/rounds/dissemination.hpp>
#include <cuboid/collectives/rounds/recursive_doubling.hpp>

namespace cuboid {

namespace {

// The one block of a contract as two slices, each with a tree of its own.
Forest two_colours(const Contract& contract, Flow flow, int root, std::size_t element_bytes) {
  const std::size_t elements = contract.blocks.front().slice.bytes / element_bytes;
  const std::size_t first = elements / 3 * element_bytes;
  const std::size_t rest = elements * element_bytes - first;
  return {.ranks = contract.ranks,
          .flow = flow,
          .trees = {{.block = 0,
                     .slice = {0, first},
                     .root = root,
                     .edges = chain(contract.ranks, root),
                     .channel = 0},
                    {.block = 0,
                     .slice = {first, rest},
                     .root = root,
                     .edges = binomial_tree(contract.ranks, root),
                     .channel = 1}}};
}

}  // namespace

std::vector<std::size_t> uneven_blocks(int ranks, std::size_t elements, std::size_t element_bytes) {
  std::vector<std::size_t> bytes;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    bytes.push_back(rank % 3 == 1 ? 0 : (elements + rank % 4) * element_bytes);
  }
  return bytes;
}

std::vector<Schedule> moving_schedules(int ranks, int root, std::size_t elements,
                                       std::size_t element_bytes) {
  const std::size_t bytes = elements * element_bytes;
  const auto blocks = uneven_blocks(ranks, elements, element_bytes);
  const Contract broadcast = Contract::broadcast(ranks, bytes, root);
  const Contract allgather = Contract::allgather(blocks);
  const Contract gather = Contract::gather(blocks, root);
  const Contract scatter = Contract::scatter(blocks, root);

  std::vector<Schedule> schedules;
  for (const auto& [name, shape] : tree_shapes) {
    const std::string over = std::string(" over ") + name + " trees";
    schedules.push_back({"broadcast" + over, broadcast, plant(broadcast, Flow::multicast, shape)});
    schedules.push_back({"allgather" + over, allgather, plant(allgather, Flow::multicast, shape)});
    schedules.push_back({"gather" + over, gather, plant(gather, Flow::multicast, shape)});
    schedules.push_back({"scatter" + over, scatter, plant(scatter, Flow::multicast, shape)});
  }
  schedules.push_back({"two-coloured broadcast", broadcast,
                       two_colours(broadcast, Flow::multicast, root, element_bytes)});
  schedules.push_back({"allgather by dissemination", allgather, dissemination_allgather(ranks)});
  schedules.push_back({"gather on direct paths", gather, direct_paths(gather)});
  schedules.push_back({"scatter on direct paths", scatter, direct_paths(scatter)});
  return schedules;
}

std::vector<Schedule> combining_schedules(int ranks, int root, std::size_t elements,
                                          std::size_t element_bytes) {
  const std::size_t bytes = elements * element_bytes;
  const Contract reduce = Contract::reduce(ranks, bytes, root);
  const Contract allreduce = Contract::allreduce(ranks, bytes);
  const Contract reduce_scatter =
      Contract::reduce_scatter(uneven_blocks(ranks, elements, element_bytes));

  std::vector<Schedule> schedules;
  for (const auto& [name, shape] : tree_shapes) {
    const std::string over = std::string(" over ") + name + " trees";
    const bool in_order = shape == in_order_tree;
    schedules.push_back({"reduce" + over, reduce, plant(reduce, Flow::combine, shape), in_order});
    schedules.push_back({"reduce-scatter" + over, reduce_scatter,
                         plant(reduce_scatter, Flow::combine, shape), in_order});
    schedules.push_back({"allreduce" + over, allreduce,
                         plant(allreduce, Flow::combine_then_multicast, shape), in_order});
  }
  schedules.push_back(
      {"two-coloured reduce", reduce, two_colours(reduce, Flow::combine, root, element_bytes)});
  schedules.push_back({"two-coloured allreduce", allreduce,
                       two_colours(allreduce, Flow::combine_then_multicast, root, element_bytes)});
  schedules.push_back(
      {"allreduce round a ring", allreduce, ring_allreduce(allreduce, element_bytes)});
  schedules.push_back(
      {"allreduce by recursive doubling", allreduce, recursive_doubling_allreduce(ranks), true});
  return schedules;
}

}  // namespace cuboid
