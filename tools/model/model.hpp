#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// Adds `cuboid model`: predicted costs of collectives and multiplications, and the papers'
/// figures.
void add_model_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
