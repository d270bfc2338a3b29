#pragma once

#include <cuboid/export.hpp>

#include <string_view>

namespace cuboid {

/// How a factorisation chooses its pivots.
enum class Pivoting {
  none,        ///< as they come: for matrices that need none, as diagonally dominant ones
  tournament,  ///< the winners of a tournament (Grigori, Demmel and Xiang 2011): few messages
  partial,     ///< the largest of each column, LAPACK's and ScaLAPACK's: a message per column
};

/// "none", "tournament", "partial".
CUBOID_API std::string_view to_string(Pivoting pivoting);

}  // namespace cuboid
