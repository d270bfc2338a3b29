#pragma once

#include "bindings/scalapack/calls/decision.hpp"

namespace cuboid::detail::scalapack {

/// Counts a call for the table that rank 0 prints at the end of MPI (CUBOID_LOG=info).
void count(const CallClass& its_class, const Decision& decision, double seconds);

}  // namespace cuboid::detail::scalapack
