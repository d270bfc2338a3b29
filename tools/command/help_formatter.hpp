#pragma once

#include <CLI/CLI.hpp>

namespace cuboid::detail::tools {

/// The texts of --help in lines of at most page_width columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* subcommand) const override;
};

}  // namespace cuboid::detail::tools
