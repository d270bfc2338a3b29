#pragma once

#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>

#include "collectives/operations/vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail::tools {

/// All ranks' values, ordered by rank. Collective.
template <class Value>
std::vector<Value> of_all_ranks(const Communicator& communicator, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, std::span(&mine, 1), std::span(all));
  return all;
}

/// The different texts of all ranks, in the order of the first rank that has each. Collective.
inline std::vector<std::string> different_texts(const Communicator& communicator,
                                                std::string_view mine) {
  std::vector<std::string> different;
  for (const auto& bytes : gather_bytes(communicator, std::as_bytes(std::span(mine)))) {
    std::string text(bytes.size(), '\0');
    std::ranges::transform(bytes, text.begin(), [](std::byte c) { return static_cast<char>(c); });
    if (std::ranges::find(different, text) == different.end()) different.push_back(text);
  }
  return different;
}

}  // namespace cuboid::detail::tools
