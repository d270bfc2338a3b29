#pragma once

#include <string>
#include <string_view>

namespace cuboid::tools {

/// Makes the folders that a file is to be in and that are missing. Where one cannot be made,
/// writing the file says why.
void make_folders_to(const std::string& path);

/// Writes a file that a flag names; never leaves half a file in the place of a whole one (see
/// ReplacementFile). Devices and pipes are written to as they are. Throws Error(io) naming the
/// flag, the file and why.
void write_text_file(std::string_view flag, const std::string& path, const std::string& text);

}  // namespace cuboid::tools
