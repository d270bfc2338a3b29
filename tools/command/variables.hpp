#pragma once

#include <cuboid/environment.hpp>

namespace cuboid::detail::tools {

/// Reads the values of environment variables before anything runs: CUBOID_TOPOLOGY's shape,
/// CUBOID_COORDINATE, CUBOID_ALGORITHM's rules, the libraries of CUBOID_BLAS and CUBOID_LAPACK,
/// CUBOID_PROGRESS_BAR, and CUBOID_PARAMETERS' file. Throws Error that names the variable, its
/// value and the remedy. Warns of names that are nearly a variable's.
/// @param first  true if this process has rank 0, the only one that reads files.
void check_named_by_variables(const Environment& environment, bool first);

}  // namespace cuboid::detail::tools
