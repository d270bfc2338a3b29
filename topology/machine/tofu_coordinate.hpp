#pragma once

#include <cuboid/discovery_options.hpp>

#include <functional>
#include <optional>

namespace cuboid::detail {

/// Finds a function by its name; nullptr if there is none.
using FindSymbol = std::function<void*(const char* name)>;

/// Finds a function that this process has loaded; nullptr if there is none.
void* find_loaded_symbol(const char* name);

/// This rank's place on Fugaku and similar machines, as Fujitsu's MPI tells it (rank inquiry
/// functions of its MPI User's Guide): its logical coordinates in the job's torus, one to three
/// numbers. nullopt on other machines, before MPI is initialised, and if this MPI does not know the
/// coordinates, as in jobs that share nodes.
std::optional<HandedCoordinate> read_tofu_coordinate(const FindSymbol& find);

}  // namespace cuboid::detail
