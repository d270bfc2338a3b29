#pragma once

#include <chrono>

#ifdef CUBOID_SIMULATED
#include <mpi.h>
#endif

namespace cuboid::detail {

#ifdef CUBOID_SIMULATED

/// The clock of a simulated machine (SimGrid's SMPI). Its time passes only while ranks communicate
/// or tell that they compute.
struct Clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    return time_point(
        std::chrono::duration_cast<duration>(std::chrono::duration<double>(MPI_Wtime())));
  }
};
inline constexpr bool simulated = true;

#else

/// The clock that measures waits and all other work of ranks.
using Clock = std::chrono::steady_clock;
inline constexpr bool simulated = false;

#endif

}  // namespace cuboid::detail
