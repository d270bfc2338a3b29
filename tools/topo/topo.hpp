#pragma once

#include "tools/command/command.hpp"

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// `cuboid topo`: shows the discovered machine.
void add_topo_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
