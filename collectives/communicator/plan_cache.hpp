#pragma once

#include "base/recent_cache.hpp"
#include "collectives/engine/execution.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// A communicator's cache of planned calls and their executions: a repeated call costs a look-up.
/// It keeps the calls that were used last.
class PlanCache {
 public:
  struct CachedPlan {
    std::shared_ptr<const PlannedCollective> planned;
    std::vector<std::shared_ptr<Execution>> executions;
  };

  /// True if a cached execution does not run and nobody else holds it.
  static bool is_idle(const std::shared_ptr<Execution>& execution);

  /// The entry of a call; nullptr if the call is not cached. Valid until the next add().
  CachedPlan* find(const Collective& collective) { return plans_.find(collective); }
  CachedPlan& add(const Collective& collective, std::shared_ptr<const PlannedCollective> planned) {
    return plans_.add(collective, {std::move(planned), {}});
  }

  /// If all executions together hold more scratch memory than most_scratch_bytes, lets go of
  /// executions that do not run, the longest unused first.
  /// @param but  the entry whose executions stay
  void free_scratch(const CachedPlan& but);
  std::size_t scratch_bytes() const;

  /// Without this limit, calls of ever new lengths would keep memory that they hardly use again.
  static constexpr std::size_t most_scratch_bytes = 4 << 20;

 private:
  RecentCache<Collective, CachedPlan> plans_{64};
};

}  // namespace cuboid::detail
