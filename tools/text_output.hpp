#pragma once

#include <string>
#include <string_view>

namespace cuboid::tools {

/// Writes a file that a flag names; never leaves half a file in the place of a whole one. Devices
/// and pipes are written to as they are. Throws Error(io) naming the flag, the file and why.
void write_text_file(std::string_view flag, const std::string& path, const std::string& text);

}  // namespace cuboid::tools
