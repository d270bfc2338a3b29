#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// A script that makes a shell complete the command's subcommands and their flags.
///
/// `shell` is "bash" or "zsh"; throws Error(invalid_argument) for others. Pure.
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace cuboid::detail::tools
