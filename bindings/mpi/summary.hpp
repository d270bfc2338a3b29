#pragma once

#include "bindings/mpi_choice/called.hpp"
#include "bindings/mpi_choice/decision.hpp"

#include <cstddef>

namespace cuboid::detail::drop_in {

/// Counts a call for the summary that rank 0 prints when MPI_Finalize begins (CUBOID_LOG=info). Of
/// other ranks, and without CUBOID_LOG=info, nothing is counted.
void count(Called called, std::size_t bytes, const Decision& decision);

}  // namespace cuboid::detail::drop_in
