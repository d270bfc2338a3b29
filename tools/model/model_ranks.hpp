#pragma once

#include <cuboid/grid.hpp>

#include "models/messages/machine.hpp"

#include <optional>
#include <string>

namespace cuboid::detail::tools {

/// The number of modelled ranks, and their placement.
struct ModelledRanks {
  int ranks = 1;
  std::optional<Placement> placement;  ///< if a network was given
};

/// The flags that say how many ranks are modelled, and where.
struct RanksFlags {
  const std::string& network;
  const std::optional<int>& ranks;
  std::optional<int> ranks_per_node = std::nullopt;
  const char* others = "";  ///< what else must be given, e.g. "--n"
};

/// Reads --network, whose rates `machine` then receives, or --ranks. With --ranks-per-node,
/// `machine` becomes what one of these ranks sees of it. Throws Error(invalid_argument) naming the
/// flag, its value and the values it can have, for more ranks than the machine's nodes and cores
/// have room for, too.
ModelledRanks ranks_from_flags(const RanksFlags& flags, Machine& machine);

}  // namespace cuboid::detail::tools
