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

/// The flags that give the number of modelled ranks and their placement.
struct RanksFlags {
  const std::string& network;
  const std::optional<int>& ranks;
  std::optional<int> ranks_per_node = std::nullopt;
  const char* others = "";  ///< the other flags that must be given, e.g. "--n"
};

/// Reads --network, or --ranks. With --network, `machine` gets the network's rates. With
/// --ranks-per-node, `machine` becomes the machine as one of these ranks sees it. Throws
/// Error(invalid_argument), which names the flag, its value and its allowed values, also for more
/// ranks than the machine's nodes and cores have room for.
ModelledRanks ranks_from_flags(const RanksFlags& flags, Machine& machine);

}  // namespace cuboid::detail::tools
