#pragma once

#include <cuboid/communicator.hpp>

namespace cuboid::detail {

/// True if two handles are the same communicator. Ranks and sizes alone do not tell: a duplicate
/// has the same.
inline bool same_communicator(const Communicator& one, const Communicator& other) {
  return one.valid() && other.valid() && &one.state() == &other.state();
}

}  // namespace cuboid::detail
