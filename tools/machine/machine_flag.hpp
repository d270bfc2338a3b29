#pragma once

#include "models/messages/machine.hpp"

#include <string>

namespace cuboid::detail::tools {

/// The machine, or the parameter file, that --parameters names. Throws Error(invalid_argument),
/// which names the flag and its allowed values; for an invalid file, its line and the reason.
Machine machine_from_flag(const std::string& text);

/// The names of the machines, for --help.
std::string machine_names();

}  // namespace cuboid::detail::tools
