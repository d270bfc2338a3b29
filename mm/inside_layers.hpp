#pragma once

#include <string_view>

namespace cuboid {

/// How each layer of a 2.5D multiplication multiplies its slice.
enum class InsideLayers {
  summa,   ///< line multicasts (004, algorithm 1)
  cannon,  ///< shifts (Solomonik and Demmel, "Communication-optimal parallel 2.5D matrix
           ///< multiplication and LU factorization algorithms", 2011)
  slabs,   ///< all-gathers, with the layers' sums under them (SlabbedLayer)
};

/// "summa", "cannon" or "slabs".
constexpr std::string_view to_string(InsideLayers inside) {
  switch (inside) {
    case InsideLayers::summa: return "summa";
    case InsideLayers::cannon: return "cannon";
    default: return "slabs";
  }
}

}  // namespace cuboid
