#include "tools/command/sound_values.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

std::string complaint_about_text(const std::string& text) {
  return text.empty() ? "is empty: give a value, or leave it out" : "";
}

std::string complaint_about_signed(const std::string& text) {
  errno = 0;
  std::strtoll(text.c_str(), nullptr, 0);  // CLI11 reads it in the same way
  if (errno != ERANGE) return {};
  using Limits = std::numeric_limits<std::int64_t>;
  return fmt::format("{}: give a whole number from {} to {}", text, Limits::min(), Limits::max());
}

std::string complaint_about_unsigned(const std::string& text) {
  errno = 0;
  std::strtoull(text.c_str(), nullptr, 0);
  if (errno != ERANGE && text.find('-') == std::string::npos) return {};
  return fmt::format("{}: give a whole number from 0 to {}", text,
                     std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void require_sound_values(CLI::App& app) {
  for (CLI::App* const subcommand : app.get_subcommands(nullptr)) require_sound_values(*subcommand);
  for (CLI::Option* const option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "TEXT") option->check(complaint_about_text);
    if (type == "INT") option->check(complaint_about_signed);
    if (type == "UINT") option->check(complaint_about_unsigned);
  }
}

}  // namespace cuboid::detail::tools
