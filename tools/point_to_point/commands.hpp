#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// Adds `cuboid bench pairs`.
void add_all_pairs_command(CLI::App& bench, CommandContext& context);

/// Adds `cuboid bench links`.
void add_links_command(CLI::App& bench, CommandContext& context);

/// Adds a subcommand of `cuboid bench` for each measurement between pairs.
void add_pair_commands(CLI::App& bench, CommandContext& context);

}  // namespace cuboid::detail::tools
