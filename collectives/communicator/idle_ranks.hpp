#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/request.hpp>

#include <optional>
#include <utility>

namespace cuboid::detail {

/// Lets idle ranks wait without a deadline for the ranks that work: CUBOID_TIMEOUT applies only to
/// the workers.
class IdleRanks {
 public:
  /// Makes ranks 0 … workers − 1 the workers. Collective over `communicator`.
  /// @param workers  1 <= workers <= ranks
  IdleRanks(const Communicator& communicator, int workers);

  /// Runs `work` on every rank. Each idle rank then waits until a worker's `work` has ended,
  /// perhaps by throwing. Collective; may be called repeatedly. Throws like `work` and
  /// Request::wait().
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
  // The messages that say that a worker has ended; nullopt if all ranks work.
  std::optional<CollectivePlan> word_;
};

}  // namespace cuboid::detail
