#include <cuboid/tools/command.hpp>

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace cuboid::tools {

ExitCode exit_code_for(const Error& error) {
  return error.code() == ErrorCode::invalid_argument ? ExitCode::usage : ExitCode::failed;
}

void print_text(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::io, "cannot write to standard output");
  }
}

void print_json(const nlohmann::ordered_json& object) {
  print_text(object.dump() + "\n");
}

void print_error(std::string_view message) {
  std::string line = fmt::format("cuboid: error: {}", message);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cuboid::tools
