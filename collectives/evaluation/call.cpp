#include "collectives/evaluation/call.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

std::size_t message_bytes(const Collective& collective) {
  const auto& blocks = collective.operation == Operation::allgather ? collective.output_blocks
                                                                    : collective.input_blocks;
  const std::size_t elements = blocks.empty() ? collective.count : blocks.total();
  return elements * collective.type.bytes();
}

}  // namespace

Call::Call(const Collective& of, const GroupCostModel& in)
    : collective(of), cost_model(in), bytes_(message_bytes(of)) {
  for (const auto& on_node : in.nodes.ranks_of_node) {
    const int here = static_cast<int>(on_node.size());
    const auto in_order = [this](int rank) { return rank == ranks_++; };
    numbered_by_node_ = std::ranges::count_if(on_node, in_order) == here && numbered_by_node_;
    most_on_a_node_ = std::max(most_on_a_node_, here);
  }
  numbered_by_node_ = numbered_by_node_ && ranks_ == in.nodes.nodes() * most_on_a_node_;
}

Flow Call::flow() const {
  switch (operation()) {
    case Operation::reduce:
    case Operation::reduce_scatter: return Flow::combine;
    case Operation::allreduce: return Flow::combine_then_multicast;
    default: return Flow::multicast;
  }
}

}  // namespace cuboid::detail
