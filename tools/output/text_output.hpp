#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail::tools {

/// Finds out whether write_text_file() could write a file, before what takes minutes. Throws as
/// that does.
void prepare_text_file(std::string_view flag, const std::string& path);

/// Writes a file that a flag names; never leaves half a file in the place of a whole one (see
/// ReplacementFile). Devices and pipes are written to as they are, but standard output is for
/// results: Error(invalid_argument). Throws Error(io) naming the flag, the file and why.
void write_text_file(std::string_view flag, const std::string& path, const std::string& text);

}  // namespace cuboid::detail::tools
