#include <cuboid/base/error.hpp>
#include <cuboid/tools/text_output.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace cuboid::tools {

namespace fs = std::filesystem;

void write_text_file(std::string_view flag, const std::string& path, const std::string& text) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::io,
                fmt::format("{} {}: cannot be written: {}; give another file", flag, path, reason));
  };
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) refuse("it is a directory");
  const bool replaces = !fs::exists(there) || fs::is_regular_file(there);
  const std::string written = replaces ? path + ".new" : path;
  std::ofstream file(written, std::ios::binary);
  file << text;
  file.close();
  if (!file) refuse(std::strerror(errno));
  if (!replaces) return;
  fs::rename(written, path, error);
  if (error) refuse(error.message());
}

}  // namespace cuboid::tools
