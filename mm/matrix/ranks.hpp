#pragma once

#include <cuboid/communicator.hpp>

#include <cstddef>

namespace cuboid::detail {

/// A rank or a number of ranks as the size type of containers.
constexpr std::size_t as_size(int value) {
  return static_cast<std::size_t>(value);
}

/// The colour of ranks outside a grid, see Communicator::split().
inline constexpr int no_part = -1;

/// True if all ranks of a communicator are on the same node.
inline bool on_one_node(const Communicator& communicator) {
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (!communicator.same_node(rank)) return false;
  }
  return true;
}

/// True if two handles refer to the same communicator. Comparing ranks and sizes does not suffice:
/// a duplicate has the same ones.
inline bool same_communicator(const Communicator& one, const Communicator& other) {
  return one.valid() && other.valid() && &one.state() == &other.state();
}

}  // namespace cuboid::detail
