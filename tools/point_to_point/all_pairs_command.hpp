#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// Adds `cuboid bench pairs`.
void add_all_pairs_command(CLI::App& bench, CommandContext& context);

}  // namespace cuboid::detail::tools
