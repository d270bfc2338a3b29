#include "tools/command/help_formatter.hpp"

#include "base/page_text.hpp"

namespace cuboid::detail::tools {

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return folded(CLI::Formatter::make_description(app), 0);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  constexpr std::size_t beyond_a_command = 4;
  return folded(CLI::Formatter::make_footer(app), beyond_a_command);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return folded(CLI::Formatter::make_option(option, is_positional), column_width_);
}

std::string HelpFormatter::make_subcommand(const CLI::App* subcommand) const {
  return folded(CLI::Formatter::make_subcommand(subcommand), column_width_);
}

}  // namespace cuboid::detail::tools
