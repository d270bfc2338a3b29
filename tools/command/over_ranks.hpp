#pragma once

#include <cuboid/allgather.hpp>
#include <cuboid/communicator.hpp>

#include <span>
#include <vector>

namespace cuboid::detail::tools {

/// All ranks' values, ordered by rank. Collective.
template <class Value>
std::vector<Value> of_all_ranks(const Communicator& communicator, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, std::span(&mine, 1), std::span(all));
  return all;
}

}  // namespace cuboid::detail::tools
