#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid experiment`: reruns the papers' experiments in sizes that fit this machine.
void add_experiment_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
