#pragma once

#include "bindings/dropin/called.hpp"
#include "bindings/mpi/decision.hpp"

#include <cstddef>

namespace cuboid::detail::drop_in {

/// Counts a call for the summary that rank 0 prints when MPI_Finalize begins (CUBOID_LOG=info).
/// Called only if MpiSettings::counts is true.
void count(Called called, std::size_t bytes, const Decision& decision);

/// Has the summary printed, even of a program that has made no collective call. To be called before
/// MPI_Finalize.
void announce_summary();

}  // namespace cuboid::detail::drop_in
