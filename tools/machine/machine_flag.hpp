#pragma once

#include "models/messages/machine.hpp"

#include <string>

namespace cuboid::detail::tools {

/// The machine that --parameters names, or the file. Throws Error(invalid_argument) naming the flag
/// and what it can be; for a file that is wrong, its line and the reason.
Machine machine_from_flag(const std::string& text);

/// For --help: the names of the machines.
std::string machine_names();

}  // namespace cuboid::detail::tools
