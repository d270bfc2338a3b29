#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/request.hpp>

#include <optional>
#include <utility>

namespace cuboid::detail {

/// Lets idle ranks wait for those that work, without a deadline: CUBOID_TIMEOUT applies to the
/// workers only.
class IdleRanks {
 public:
  /// Ranks 0 … workers − 1 work, 1 <= workers <= ranks. Collective over `communicator`.
  IdleRanks(const Communicator& communicator, int workers);

  /// Runs `work` on every rank. Idle ranks then wait until a worker has ended it, possibly by
  /// throwing. Collective; may be called repeatedly. Throws as `work` and Request::wait().
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
