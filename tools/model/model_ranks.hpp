#pragma once

#include <cuboid/grid.hpp>

#include "models/messages/machine.hpp"

#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// How many ranks are modelled, and where they are.
struct ModelledRanks {
  int ranks = 1;
  std::optional<Placement> placement;  ///< one on each node, if a network was given
};

/// From --network, whose rates `machine` then has, or from --ranks. Throws Error(invalid_argument)
/// naming the flag, its value and what it can be.
/// @param others  what is given besides, e.g. "--n".
ModelledRanks ranks_from_flags(const std::string& network, const std::optional<int>& ranks,
                               const char* others, Machine& machine);

}  // namespace cuboid::detail::tools
