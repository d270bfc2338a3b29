#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid lu`: factorises a matrix file or a random matrix, and solves with the factors.
void add_lu_commands(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
