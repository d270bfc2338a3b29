#pragma once

#include <cuboid/tools/command.hpp>

namespace cuboid::tools {

/// Adds `cuboid model`: what collectives and multiplications should cost, and the papers' figures.
void add_model_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::tools
