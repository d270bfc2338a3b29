#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cuboid {

/// "1 node", "3 nodes", "2 switches".
std::string counted(std::integral auto count, std::string_view thing) {
  const std::string_view plural = thing.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : plural);
}

}  // namespace cuboid
