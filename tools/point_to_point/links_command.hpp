#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// Adds `cuboid bench links`.
void add_links_command(CLI::App& bench, CommandContext& context);

}  // namespace cuboid::detail::tools
