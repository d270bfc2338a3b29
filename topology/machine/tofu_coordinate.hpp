#pragma once

#include <cuboid/discovery_options.hpp>

#include <functional>
#include <optional>

namespace cuboid::detail {

/// Finds a function by its name; nullptr where there is none.
using FindSymbol = std::function<void*(const char* name)>;

/// Those that this process has loaded.
void* find_loaded_symbol(const char* name);

/// This rank's place on Fugaku and its kin, as Fujitsu's MPI tells it (rank inquiry functions of
/// its MPI User's Guide): the logical coordinates of the job's torus, one to three of them. nullopt
/// elsewhere, before MPI is initialised, and where that MPI does not know: of jobs that share
/// nodes.
std::optional<HandedCoordinate> read_tofu_coordinate(const FindSymbol& find);

}  // namespace cuboid::detail
