#include "base/clock.hpp"

#include <mpi.h>

namespace cuboid::detail {

Clock::time_point Clock::now() {
  return time_point(
      std::chrono::duration_cast<duration>(std::chrono::duration<double>(MPI_Wtime())));
}

}  // namespace cuboid::detail
