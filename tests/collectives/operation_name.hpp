#pragma once

#include "collectives/types/collective.hpp"

#include <ostream>

namespace cuboid::detail {

/// For the names of tests that are run for several operations.
inline void PrintTo(Operation operation, std::ostream* out) {
  *out << to_string(operation);
}

}  // namespace cuboid::detail
