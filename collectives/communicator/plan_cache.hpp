#pragma once

#include "collectives/engine/execution.hpp"
#include "collectives/types/collective.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace cuboid::detail {

/// The recipes a communicator has made, with executions to run them again: a call that was made
/// before costs a look-up. Keeps the most recently used ones.
class PlanCache {
 public:
  struct Entry {
    Collective collective;
    std::shared_ptr<const PlannedCollective> planned;
    std::vector<std::shared_ptr<Execution>> executions;
    std::uint64_t last_used = 0;
  };

  /// nullptr where there is none. Valid until the next call of add().
  Entry* find(const Collective& collective);
  Entry& add(Collective collective, std::shared_ptr<const PlannedCollective> planned);

 private:
  static constexpr std::size_t capacity = 64;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace cuboid::detail
