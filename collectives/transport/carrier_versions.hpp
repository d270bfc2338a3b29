#pragma once

#include <string>

namespace cuboid::detail {

/// The version of the UCX that this process runs with, e.g. "1.13.1"; empty where Cuboid was built
/// without it.
std::string ucx_version();

/// What the MPI that this process runs with says of itself, on one line.
std::string mpi_version();

}  // namespace cuboid::detail
