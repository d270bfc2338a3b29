#pragma once

#include <string_view>

namespace cuboid::detail {

/// Which rows a factorisation takes its pivots from.
enum class Pivoting {
  none,        ///< as they come: for matrices that need none, as diagonally dominant ones
  tournament,  ///< the winners of a tournament (Grigori, Demmel and Xiang 2011): few messages
  partial,     ///< the largest of each column, LAPACK's and ScaLAPACK's: a message per column
};

/// "none", "tournament", "partial".
std::string_view to_string(Pivoting pivoting);

}  // namespace cuboid::detail
