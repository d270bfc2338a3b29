#pragma once

namespace cuboid {

/// How each layer of a 2.5D multiplication multiplies its slice.
enum class InsideLayers {
  summa,   ///< line multicasts (004, algorithm 1)
  cannon,  ///< shifts (Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix
           ///< multiplication and LU factorization algorithms", 2011)
  slabs,   ///< all-gathers, with the layers' sums under them (SlabbedLayer)
};

}  // namespace cuboid
