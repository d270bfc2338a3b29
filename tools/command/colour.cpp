#include "tools/command/colour.hpp"

#include <cuboid/mpi.hpp>

#include "tools/command/command.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace cuboid::detail::tools {

namespace {

bool are_colours_shown() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // Launchers read a rank's output through a pseudo-terminal of their own, wherever they write it.
  if (MpiSession::launched()) return false;
  const std::string_view terminal = variable("TERM");
  return variable("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb" &&
         isatty(output_descriptor()) != 0;
}

}  // namespace

std::string coloured(const std::string& text, Colour colour) {
  constexpr int green = 32, red = 31;
  if (!are_colours_shown()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", colour == Colour::chosen ? green : red, text);
}

}  // namespace cuboid::detail::tools
