#pragma once

#include "collectives/engine/execution.hpp"
#include "collectives/types/collective.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// A communicator's cache of laid-out calls and executions: a repeated call costs a look-up. Keeps
/// the most recently used ones.
class PlanCache {
 public:
  struct CachedPlan {
    Collective collective;
    std::shared_ptr<const PlannedCollective> planned;
    std::vector<std::shared_ptr<Execution>> executions;
    std::uint64_t last_used = 0;
  };

  /// Whether nothing runs on a cached execution, and nobody else holds it.
  static bool is_idle(const std::shared_ptr<Execution>& execution);

  /// nullptr if the call is not cached. Valid until the next add().
  CachedPlan* find(const Collective& collective);
  CachedPlan& add(Collective collective, std::shared_ptr<const PlannedCollective> planned);

  /// Where all executions together hold more scratch memory than most_scratch_bytes: lets go of
  /// those that nothing runs on, the longest unused first, but for an entry's.
  void free_scratch(const CachedPlan& but);
  std::size_t scratch_bytes() const;

  /// Calls of ever other lengths would otherwise keep memory that they hardly use again.
  static constexpr std::size_t most_scratch_bytes = 4 << 20;

 private:
  static constexpr std::size_t capacity = 64;
  std::vector<CachedPlan> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace cuboid::detail
