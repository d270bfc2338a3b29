#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid bench OPERATION`: measures collectives, compared with the network's bound and with the
/// MPI that launched the ranks.
void add_bench_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
