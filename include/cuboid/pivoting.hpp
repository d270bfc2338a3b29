#pragma once

#include <cuboid/export.hpp>

#include <string_view>

namespace cuboid {

/// The way in which a factorisation chooses its pivots.
enum class Pivoting {
  /// The diagonal as it is: for matrices that need no pivoting, e.g. diagonally dominant ones.
  none,
  tournament,  ///< the winners of a tournament (Grigori, Demmel and Xiang 2011): few messages
  /// The largest element of each column, as in LAPACK and ScaLAPACK: a message per column.
  partial,
};

/// "none", "tournament", "partial".
CUBOID_API std::string_view to_string(Pivoting pivoting);

}  // namespace cuboid
