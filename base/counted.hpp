#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace cuboid::detail {

/// A count as text: "1 node", "3 nodes", "2 switches".
std::string counted(std::integral auto count, std::string_view thing) {
  std::string text = std::to_string(count) + " " + std::string(thing);
  if (count != 1) text += thing.ends_with("ch") ? "es" : "s";
  return text;
}

}  // namespace cuboid::detail
