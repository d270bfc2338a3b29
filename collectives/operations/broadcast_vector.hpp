#pragma once

#include <cuboid/broadcast.hpp>
#include <cuboid/communicator.hpp>

#include <array>
#include <vector>

namespace cuboid::detail {

/// Gives every rank what `root` holds, its length included. Collective.
template <class T>
void broadcast_vector(const Communicator& communicator, std::vector<T>& values, int root) {
  std::array count = {values.size()};
  broadcast(communicator, count, root);
  values.resize(count[0]);
  if (!values.empty()) broadcast(communicator, values, root);
}

}  // namespace cuboid::detail
