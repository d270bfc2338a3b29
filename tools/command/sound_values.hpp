#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// Makes the options of all subcommands reject empty texts, whole numbers that do not fit into 64
/// bits, and negative numbers for unsigned values. CLI11 would accept them and store another
/// number.
void require_sound_values(CLI::App& app);

/// What is wrong where options of a command stand before the name of its subcommand, which does not
/// know them: `cuboid bench --size 8 latency` would measure other sizes. Empty if nothing is. To be
/// called after `app` was parsed.
std::string misplaced_options(const CLI::App& app);

/// What is wrong with an argument that no command knows, and which name is like it. To be called
/// after parsing `app` has thrown for it.
std::string unknown_argument(const CLI::App& app);

/// The command that prints the help of what the user called, e.g. "cuboid bench latency --help".
std::string help_of(const CLI::App& app);

}  // namespace cuboid::detail::tools
