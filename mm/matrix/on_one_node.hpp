#pragma once

#include <cuboid/communicator.hpp>

namespace cuboid::detail {

/// True if all ranks of a communicator are on the same node.
inline bool on_one_node(const Communicator& communicator) {
  for (int rank = 0; rank < communicator.size(); ++rank) {
    if (!communicator.same_node(rank)) return false;
  }
  return true;
}

}  // namespace cuboid::detail
