#pragma once

#include <chrono>

namespace cuboid::detail {

/// The clock that measures waits and all other work of ranks. On a simulated machine its time
/// passes only while ranks communicate or say that they compute.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now();
};

}  // namespace cuboid::detail
