#pragma once

#include <string>

namespace cuboid::tools {

/// Writes a file, and folders to it that are missing; never leaves half a file in the place of a
/// whole one. Throws Error(io) naming --output.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace cuboid::tools
