#pragma once

#include "collectives/engine/execution.hpp"
#include "collectives/types/collective.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// A communicator's cache of laid-out calls and executions: a repeated call costs a look-up. Keeps
/// the most recently used ones.
class PlanCache {
 public:
  struct Entry {
    Collective collective;
    std::shared_ptr<const PlannedCollective> planned;
    std::vector<std::shared_ptr<Execution>> executions;
    std::uint64_t last_used = 0;
  };

  /// nullptr if the call is not cached. Valid until the next add().
  Entry* find(const Collective& collective);
  Entry& add(Collective collective, std::shared_ptr<const PlannedCollective> planned);

 private:
  static constexpr std::size_t capacity = 64;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace cuboid::detail
