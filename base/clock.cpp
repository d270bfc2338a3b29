#include "base/clock.hpp"

namespace cuboid::detail {

// Weak, as programs whose ranks are simulated define it by the simulator's clock.
[[gnu::weak]] Clock::time_point Clock::now() {
  return time_point(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace cuboid::detail
