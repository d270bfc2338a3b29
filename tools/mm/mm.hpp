#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid mm`: multiplies two matrix files, or random matrices of given sizes.
void add_mm_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
