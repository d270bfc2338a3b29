#pragma once

#include <string>

namespace cuboid::detail::tools {

enum class Colour {
  chosen,  ///< green: what Cuboid takes, or what reaches its goal
  missed,  ///< red: what falls short of it
};

/// The text in a colour where results go to a terminal that has colours and the user has not set
/// NO_COLOR (https://no-color.org); else the text as it is. Never of JSON or CSV.
std::string coloured(const std::string& text, Colour colour);

}  // namespace cuboid::detail::tools
