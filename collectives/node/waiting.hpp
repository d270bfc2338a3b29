#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// How long a rank that waits keeps its core: it polls `spins` times, then gives its time slice
/// away `yields` times, then sleeps until a message wakes it. With a core of its own a rank can
/// afford to poll; where ranks share cores, a rank that polls starves the one it waits for.
struct WaitPolicy {
  int spins;
  int yields;

  /// For a rank whose cores are used by `ranks` ranks in all (see ranks_on()).
  static WaitPolicy for_load(double ranks, std::size_t cores);
};

/// What a waiting rank does next.
enum class Pause { spin, yield, sleep };

/// One wait's walk down a policy; progress starts it over.
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

/// Whether it is worth giving a time slice away. A rank that yields to somebody who computes comes
/// last each time; one that sleeps comes first when it is woken. So where slices of others have
/// cost much time, as beside another program, a rank yields no more for a while.
class Yields {
 public:
  /// Yields; returns false, at once, if that is not worthwhile.
  bool yield();
  bool worthwhile(Clock::time_point now) const { return now >= not_before_; }
  void took(Clock::time_point start, Clock::time_point end);

 private:
  Clock::time_point not_before_{};
  Clock::time_point last_long_{};
  Clock::duration lost_{};  // in long ones, each soon after the one before
};

/// The cores that a process may run on, by number, ascending.
using CoreSet = std::vector<int>;

/// This process's (its affinity mask); core 0 if that cannot be read.
CoreSet usable_cores();

/// How many of the ranks of a machine run on the cores `mine`, each rank spread evenly over the
/// cores it may use. Launchers bind ranks to a core each, or to none: both must count right.
double ranks_on(const CoreSet& mine, std::span<const CoreSet> ranks_of_machine);

}  // namespace cuboid::detail
