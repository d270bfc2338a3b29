#pragma once

#include <cuboid/environment.hpp>

#include "models/messages/machine.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The machine, or the parameter file, that --parameters names. Throws Error(invalid_argument),
/// which names the flag and its allowed values; for an invalid file, its line and the reason.
Machine machine_from_flag(const std::string& text);

/// The name of the machine, or the file of parameters, that a prediction without --parameters is
/// for: what CUBOID_PARAMETERS names; or else this machine's, if `cuboid bench --calibrate` has
/// measured it (newest_cached_parameters()); or else `otherwise`. If CUBOID_PARAMETERS is "none",
/// `otherwise`.
std::string default_parameters(const Environment& environment, const std::string& otherwise);

/// Declares --parameters, whose default is default_parameters().
void declare_parameters_flag(CLI::App& command, std::string& parameters,
                             std::string_view otherwise);

/// The names of the machines, for --help.
std::string machine_names();

/// The extent of a modelled matrix. Throws Error(invalid_argument), which names the flag and its
/// allowed values, if there is nothing to plan or if the extent is so large that counts overflow.
std::int64_t checked_extent(const char* flag, std::int64_t extent);

}  // namespace cuboid::detail::tools
