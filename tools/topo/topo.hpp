#pragma once

#include "tools/command/command.hpp"

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// `cuboid topo`: what the machine is, as far as can be found out.
void add_topo_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
