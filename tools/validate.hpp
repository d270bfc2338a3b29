#pragma once

#include <cuboid/tools/command.hpp>

namespace cuboid::tools {

/// `cuboid validate`: predictions held against measurements.
void add_validate_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::tools
