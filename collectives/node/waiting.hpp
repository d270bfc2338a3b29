#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How long a rank that waits keeps its core. It polls `spins` times, then gives its time slice
/// away `yields` times, then sleeps until a message wakes it. A rank with a core of its own can
/// afford to poll. If ranks share cores, a rank that polls starves the rank that it waits for.
struct WaitPolicy {
  int spins;
  int yields;

  /// For a rank whose cores are used by `ranks` ranks in all (see ranks_on()).
  static WaitPolicy for_load(double ranks, std::size_t cores);
};

/// What a waiting rank does next.
enum class Pause { spin, yield, sleep };

/// How far one wait has got in a policy. Progress starts it over.
class Backoff {
 public:
  explicit Backoff(WaitPolicy policy) : policy_(policy) {}

  Pause next() {
    const int attempt = attempts_++;
    if (attempt < policy_.spins) return Pause::spin;
    if (attempt < policy_.spins + policy_.yields) return Pause::yield;
    --attempts_;  // stays at sleep without ever overflowing
    return Pause::sleep;
  }
  void reset() { attempts_ = 0; }

 private:
  WaitPolicy policy_;
  int attempts_ = 0;
};

/// Says if it is worth giving a time slice away. A rank that yields to another that computes comes
/// last each time; a rank that sleeps comes first when it is woken. So if the time slices of others
/// have cost much time, as they do beside another program, the rank stops yielding for a while.
class Yields {
 public:
  /// Yields the core. If that is not worthwhile, returns false at once.
  bool yield();
  bool worthwhile(Clock::time_point now) const { return now >= not_before_; }
  void took(Clock::time_point start, Clock::time_point end);

 private:
  Clock::time_point not_before_{};
  Clock::time_point last_long_{};
  Clock::duration lost_{};  // the time lost in long yields, each soon after the one before
};

/// The cores that a process may run on, by number, ascending.
using CoreSet = std::vector<int>;

/// The cores of this process (its affinity mask); core 0 if they cannot be read.
CoreSet usable_cores();

/// How many of the ranks of a machine run on the cores `mine`, if each rank spreads evenly over the
/// cores that it may use. Launchers bind each rank to a core, or bind none; the count is right for
/// both.
double ranks_on(const CoreSet& mine, std::span<const CoreSet> ranks_of_machine);

}  // namespace cuboid::detail
