#pragma once

#include <cuboid/grid.hpp>

#include "models/messages/machine.hpp"

#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The number of modelled ranks, and their placement.
struct ModelledRanks {
  int ranks = 1;
  std::optional<Placement> placement;  ///< one rank on each node, if a network was given
};

/// Reads --network, whose rates `machine` then receives, or --ranks. Throws Error(invalid_argument)
/// naming the flag, its value and the values it can have.
/// @param others  the other flags that were given, e.g. "--n".
ModelledRanks ranks_from_flags(const std::string& network, const std::optional<int>& ranks,
                               const char* others, Machine& machine);

}  // namespace cuboid::detail::tools
