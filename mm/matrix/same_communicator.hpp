#pragma once

#include <cuboid/communicator.hpp>

namespace cuboid::detail {

/// True if two handles refer to the same communicator. Comparing ranks and sizes does not suffice:
/// a duplicate has the same ones.
inline bool same_communicator(const Communicator& one, const Communicator& other) {
  return one.valid() && other.valid() && &one.state() == &other.state();
}

}  // namespace cuboid::detail
