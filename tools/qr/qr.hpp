#pragma once

#include "tools/command/command.hpp"

namespace cuboid::detail::tools {

/// `cuboid qr`: factorises a matrix file or a random matrix. `cuboid lstsq`: solves a least-squares
/// problem by QR.
void add_qr_commands(CLI::App& app, CommandContext& context);

}  // namespace cuboid::detail::tools
