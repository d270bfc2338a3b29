#pragma once

#include <chrono>

namespace cuboid {

/// How long a rank that waits keeps its core: it polls `spins` times, then gives its time slice
/// away `yields` times, then sleeps until a message wakes it. With a core of its own a rank can
/// afford to poll; where ranks share cores, a rank that polls starves the one it waits for.
struct WaitPolicy {
  int spins;
  int yields;

  static WaitPolicy for_load(int ranks_on_machine, int usable_cores);
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

/// Cores that this process may run on (its affinity mask).
int usable_cores();

}  // namespace cuboid
