#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid validate`: compares predictions with measurements.
void add_validate_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
