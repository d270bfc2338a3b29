#include <cuboid/base/error.hpp>
#include <cuboid/tools/text_output.hpp>

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace cuboid::tools {

namespace fs = std::filesystem;

void write_text_file(const std::string& path, const std::string& text) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::io, fmt::format("{}: cannot be written: {}; give another file with "
                                           "--output",
                                           path, reason));
  };
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) refuse(error.message());
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  if (!file) refuse("no space, or not allowed");
  fs::rename(unfinished, path, error);
  if (error) refuse(error.message());
}

}  // namespace cuboid::tools
