#pragma once

#include <limits>

#include <mpi.h>

namespace cuboid::detail::drop_in {

// MPI 4's functions with counts of 64 bits, which some callers (mpi4py) use for all lengths. A
// count that does not fit in an int belongs to a call that is too long for Cuboid on all ranks. The
// native MPI serves functions with lists of counts.

inline bool fits(MPI_Count count) {
  return count >= std::numeric_limits<int>::min() && count <= std::numeric_limits<int>::max();
}

inline int as_int(MPI_Count count) {
  return static_cast<int>(count);
}

}  // namespace cuboid::detail::drop_in
