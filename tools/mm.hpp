#pragma once

#include <cuboid/tools/command.hpp>

namespace cuboid::tools {

/// `cuboid mm`: multiplies two matrix files, or random matrices of given sizes.
void add_mm_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::tools
