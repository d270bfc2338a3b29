#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// Adds a subcommand of `cuboid bench` for each measurement between pairs.
void add_pair_commands(CLI::App& bench, CommandContext& context);

}  // namespace cuboid::detail::tools
