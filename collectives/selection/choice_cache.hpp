#pragma once

#include "base/recent_cache.hpp"
#include "collectives/selection/selection.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// The call that a choice is made for: its lengths are rounded up to the next of eight per octave,
/// and on a torus its root is rank 0, from which all look alike. Powers of two stay as they are.
Collective class_of(const Collective& collective, const GroupCostModel& cost_model);

/// What select() chose for a communicator's last calls. Simulating algorithms takes milliseconds,
/// and programs such as factorisations never make a call of the same length twice: calls of one
/// class share a choice. It depends on the class alone, not on which call came first, so all ranks
/// choose alike.
class ChoiceCache {
 public:
  /// As select(). Where a rule demands an algorithm, the class does not matter.
  Choice select(const Collective& collective, const GroupCostModel& cost_model,
                const AlgorithmRules& rules);

  std::size_t size() const { return choices_.size(); }

 private:
  RecentCache<Collective, Choice> choices_{512};  // by class
};

/// The choices of a rank's groups on one machine. Groups whose nodes fill equal boxes in the same
/// way share them: the parallel lines of a torus, and those that are made again for the next
/// factorisation.
class ChoicesOfGroups {
 public:
  /// Those of a group, others' where it is like them.
  std::shared_ptr<ChoiceCache> of(const GroupNodes& nodes);

 private:
  struct Box {
    Shape shape;
    std::vector<double> axis_bytes_per_second;
    double link_bytes_per_second;
    std::vector<int> node_of_rank;
    bool operator==(const Box&) const = default;
  };
  RecentCache<Box, std::shared_ptr<ChoiceCache>> choices_{16};
};

}  // namespace cuboid::detail
