#pragma once

#include "base/recent_cache.hpp"
#include "collectives/selection/selection.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// The call that stands for a class of calls. Its lengths are rounded up to the next of eight
/// lengths per octave; powers of two stay unchanged. On a torus its root is rank 0, because the
/// network looks alike from all ranks.
Collective class_of(const Collective& collective, const GroupCostModel& cost_model);

/// A cache of select()'s choices for a communicator. Simulating algorithms takes milliseconds, and
/// programs such as factorisations never make two calls of the same length, so all calls of a class
/// share a choice. The choice depends on the class alone, not on which call came first, so all
/// ranks choose alike.
class ChoiceCache {
 public:
  /// Like select(). If a rule requests an algorithm for the call, the class does not matter.
  Choice select(const Collective& collective, const GroupCostModel& cost_model,
                const AlgorithmRules& rules);

  std::size_t size() const { return choices_.size(); }

 private:
  RecentCache<Collective, Choice> choices_{512};  // by class
};

/// The choices of a rank's groups on one machine. Groups whose nodes fill equal boxes in the same
/// way share them, such as the parallel lines of a torus, or the same groups made again for the
/// next factorisation.
class ChoicesOfGroups {
 public:
  /// The choices of this group. Groups whose nodes fill equal boxes in the same way share one
  /// object.
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
