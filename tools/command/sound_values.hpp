#pragma once

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// Makes the options of all subcommands reject empty texts, whole numbers that do not fit into 64
/// bits, and negative numbers for unsigned values. CLI11 would accept them and store another
/// number.
void require_sound_values(CLI::App& app);

}  // namespace cuboid::detail::tools
