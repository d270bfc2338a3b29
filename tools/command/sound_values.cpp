#include "tools/command/sound_values.hpp"

#include "base/closest_name.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

/// The innermost subcommand that the user has named.
const CLI::App& chosen(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  return subcommands.empty() ? app : chosen(*subcommands.front());
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

std::string misplaced_options(const CLI::App& app) {
  const auto subcommands = app.get_subcommands();
  if (subcommands.empty()) return {};
  const CLI::App& command = *subcommands.front();
  for (const CLI::Option* const option : app.get_options()) {
    if (option->count() == 0) continue;
    const std::string given = option->get_positional()
                                  ? fmt::format("{}", fmt::join(option->results(), " "))
                                  : option->get_name();
    return fmt::format("{}: `{}` takes its arguments after its name: see {}", given,
                       full_name(command), help_of(app));
  }
  return misplaced_options(command);
}

std::string unknown_argument(const CLI::App& app) {
  const CLI::App& command = chosen(app);
  const std::vector<std::string> left = app.remaining(true);
  if (left.empty()) return {};
  const std::string& given = left.front();
  const bool flag = given.starts_with("-");
  std::vector<std::string> names;
  if (flag) {
    for (const CLI::Option* const option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  } else {
    for (const CLI::App* const subcommand : command.get_subcommands(nullptr))
      names.push_back(subcommand->get_name());
  }
  const std::string name = given.substr(0, given.find('='));
  return fmt::format("{}: `{}` has no such {}{}: see {}", given, full_name(command),
                     flag ? "option" : "argument", did_you_mean(name, names), help_of(app));
}

std::string help_of(const CLI::App& app) {
  return full_name(chosen(app)) + " --help";
}

}  // namespace cuboid::detail::tools
