#pragma once

#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>

#include <optional>
#include <utility>

namespace cuboid::detail {

/// Lets ranks that have no part in some work wait for those that do it, however long it takes:
/// CUBOID_TIMEOUT, within which something must move, is then for the workers alone.
class IdleRanks {
 public:
  /// Ranks 0 … workers − 1 work, 1 <= workers <= ranks. Collective over `communicator`.
  IdleRanks(const Communicator& communicator, int workers);

  /// Runs `work` on every rank, and lets those that are no workers then wait until one of them has
  /// ended it, be it by throwing. Collective; may be called again and again. Throws what `work`
  /// does, and what Request::wait() does.
  template <class Work>
  void run(Work&& work) {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      if (works_) tell_quietly();
      throw;
    }
    if (word_) word_->run();
  }

 private:
  void tell_quietly() noexcept;

  bool works_ = true;
  std::optional<CollectivePlan> word_;  // that a worker has ended its work; none where all work
};

}  // namespace cuboid::detail
