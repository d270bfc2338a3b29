#include "collectives/selection/choice_cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

std::size_t rounded_up(std::size_t count) {
  constexpr int bits = 3;
  const int octave = static_cast<int>(std::bit_width(count)) - 1;
  if (octave <= bits) return count;
  const std::size_t step = std::size_t{1} << (octave - bits);
  return (count + step - 1) / step * step;
}

BlockList rounded_up(const BlockList& blocks) {
  std::vector<std::size_t> counts = blocks.counts();
  for (std::size_t& count : counts) count = rounded_up(count);
  return BlockList::adjacent(std::move(counts));
}

/// True if the network, or the node, looks the same from every rank.
bool looks_alike_from_all_ranks(const GroupNodes& nodes, int ranks) {
  if (nodes.nodes() == 1) return true;
  return nodes.shape && nodes.nodes() == ranks &&
         std::ranges::all_of(nodes.shape->axes(),
                             [](const Axis& axis) { return axis.wraps || axis.extent <= 2; });
}

/// True if all ranks know the whole call, so that selection may simulate it.
bool has_class(const Collective& collective) {
  switch (collective.operation) {
    case Operation::broadcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::reduce_scatter: return true;
    case Operation::alltoall: return collective.equal_blocks;
    default: return false;
  }
}

}  // namespace

Collective class_of(const Collective& collective, const GroupCostModel& cost_model) {
  Collective its_class = collective;
  its_class.in_place = false;
  its_class.count = rounded_up(collective.count);
  its_class.input_blocks = rounded_up(collective.input_blocks);
  its_class.output_blocks = rounded_up(collective.output_blocks);
  if (looks_alike_from_all_ranks(cost_model.nodes, cost_model.ranks())) its_class.root = 0;
  return its_class;
}

Choice ChoiceCache::select(const Collective& collective, const GroupCostModel& cost_model,
                           const AlgorithmRules& rules) {
  const std::size_t bytes = Call{collective, cost_model}.bytes();
  if (!has_class(collective) || rules.demanded(collective.operation, bytes) != nullptr)
    return detail::select(collective, cost_model, rules);
  const Collective its_class = class_of(collective, cost_model);
  return choices_.get(its_class, [&] { return detail::select(its_class, cost_model); });
}

std::shared_ptr<ChoiceCache> ChoicesOfGroups::of(const GroupNodes& nodes) {
  if (!nodes.shape) return std::make_shared<ChoiceCache>();
  return choices_.get({*nodes.shape, nodes.axis_bytes_per_second, nodes.link_bytes_per_second,
                       nodes.node_of_rank()},
                      [] { return std::make_shared<ChoiceCache>(); });
}

}  // namespace cuboid::detail
