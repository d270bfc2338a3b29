#pragma once

#include "collectives/evaluation/group_cost_model.hpp"
#include "collectives/schedules/forest.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>

namespace cuboid::detail {

/// The most ranks of a group for which selection simulates every message.
constexpr int most_ranks_simulated = 96;

/// A call of a collective in a group, as algorithms see it. Quantities that predictions need often
/// are computed once.
class Call {
 public:
  Call(const Collective& of, const GroupCostModel& in);

  const Collective& collective;
  const GroupCostModel& cost_model;

  int ranks() const { return ranks_; }
  /// The number of ranks of the node that has the most ranks of the group.
  int most_on_a_node() const { return most_on_a_node_; }
  /// True if all nodes have the same number of ranks, and ranks are numbered node by node.
  bool numbered_by_node() const { return numbered_by_node_; }
  Operation operation() const { return collective.operation; }
  std::size_t element_bytes() const { return collective.type.bytes(); }
  /// Size of the message; for operations with a block per rank, the size of all blocks of this rank
  /// together.
  std::size_t bytes() const { return bytes_; }
  Flow flow() const;
  /// True if the nodes are a torus or a mesh of several nodes with one rank on each.
  bool fills_a_shape() const {
    const GroupNodes& nodes = cost_model.nodes;
    return nodes.shape && nodes.nodes() > 1 && nodes.nodes() == ranks_;
  }
  bool on_one_node() const { return cost_model.nodes.nodes() == 1; }
  /// GroupCostModel::core_seconds() for all ranks.
  double core_seconds(double messages, double bytes) const {
    return cost_model.core_seconds(messages, bytes, ranks_);
  }

 private:
  int ranks_ = 0;
  int most_on_a_node_ = 0;
  bool numbered_by_node_ = true;
  std::size_t bytes_;
};

}  // namespace cuboid::detail
