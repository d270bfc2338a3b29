#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// The broadcasts along a line of ranks that a multiplication repeats. Each is planned once;
/// starting it allocates nothing.
class LineBroadcasts {
 public:
  /// @param line  may be invalid if no broadcast is added.
  LineBroadcasts(const Communicator& line, Datatype type) : line_(line), type_(type) {}

  /// Plans a broadcast and returns its index; equal broadcasts have one index. Every rank of the
  /// line adds the same broadcasts.
  /// @param lane   broadcasts that are in flight at the same time have different lanes.
  /// @param lanes  the number of lanes.
  std::size_t add(std::size_t lane, std::size_t lanes, std::size_t count, int root);

  /// Starts the broadcast of the root's elements. `elements` is the input at the root and the
  /// output on the other ranks.
  Request start(std::size_t number, void* elements);

 private:
  struct Broadcast {
    std::size_t lane;
    std::size_t count;
    int root;
    CollectivePlan plan;
  };

  Communicator line_;
  Datatype type_;
  std::vector<Broadcast> broadcasts_;
};

}  // namespace cuboid::detail
