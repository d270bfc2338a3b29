#include "tools/command/command.hpp"

#include "tools/provenance/provenance.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {
/// The descriptor of the results' stream: standard output, duplicated by claim_standard_output().
int output = STDOUT_FILENO;
}  // namespace

ExitCode exit_code_for(const Error& error) {
  return error.code() == ErrorCode::invalid_argument ? ExitCode::usage : ExitCode::failed;
}

void claim_standard_output() {
  const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept < 0) return;  // standard output is closed: print_text() will report it
  output = kept;
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

void print_text(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(output, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(ErrorCode::io, fmt::format("cannot write to standard output: {}",
                                             std::generic_category().message(errno)));
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

int output_descriptor() {
  return output;
}

std::string json_text(const nlohmann::ordered_json& object) {
  // Names read from a network's files may be in any encoding.
  constexpr auto replaced = nlohmann::ordered_json::error_handler_t::replace;
  return object.dump(-1, ' ', false, replaced);
}

nlohmann::ordered_json with_provenance(nlohmann::ordered_json object) {
  if (!object.contains("provenance")) object["provenance"] = provenance();
  return object;
}

void print_json(nlohmann::ordered_json object) {
  print_text(json_text(with_provenance(std::move(object))) + "\n");
}

void print_error(std::string_view message) {
  std::string line = fmt::format("cuboid: error: {}", message);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cuboid::detail::tools
