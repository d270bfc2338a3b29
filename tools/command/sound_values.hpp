#pragma once

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// Makes the options of all subcommands refuse texts that are empty, whole numbers that 64 bits do
/// not hold, and negative ones where there is no sign: CLI11 takes the nearest number that fits, or
/// another one.
void require_sound_values(CLI::App& app);

}  // namespace cuboid::detail::tools
