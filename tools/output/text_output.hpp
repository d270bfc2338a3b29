#pragma once

#include <string>
#include <string_view>

namespace cuboid::detail::tools {

/// Checks that write_text_file() can write a file, before work that takes minutes. Errors as in
/// write_text_file().
void prepare_text_file(std::string_view flag, const std::string& path);

/// Writes the file that a flag names. It never replaces a complete file by an incomplete one (see
/// ReplacementFile). Devices and pipes are written directly, but standard output is reserved for
/// results: Error(invalid_argument). Throws Error(io) naming the flag, the file and the reason.
void write_text_file(std::string_view flag, const std::string& path, const std::string& text);

}  // namespace cuboid::detail::tools
