#pragma once

#include <cuboid/tools/command.hpp>

namespace cuboid::tools {

/// `cuboid bench OPERATION`: how fast collectives are, against the network's bound and the MPI that
/// launched the ranks.
void add_bench_command(CLI::App& app, CommandContext& context);

}  // namespace cuboid::tools
