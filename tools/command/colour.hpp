#pragma once

#include <string>

namespace cuboid::detail::tools {

enum class Colour {
  chosen,  ///< green: what Cuboid takes, or what reaches its goal
  missed,  ///< red: what falls short of it
};

/// The text in a colour, if results go to a terminal that has colours and the user has not set
/// NO_COLOR (https://no-color.org). Otherwise, and under an MPI launcher, the text as it is. Not to
/// be used for JSON or CSV.
std::string coloured(const std::string& text, Colour colour);

}  // namespace cuboid::detail::tools
