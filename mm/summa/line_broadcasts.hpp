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
  /// @param line  may be invalid where nothing is added.
  LineBroadcasts(const Communicator& line, Datatype type) : line_(line), type_(type) {}

  /// A broadcast's number, the same for equal ones. Every rank of the line adds the same.
  /// @param lane   those that are in flight at the same time have different ones.
  /// @param lanes  how many there are.
  std::size_t add(std::size_t lane, std::size_t lanes, std::size_t count, int root);

  /// Sends the root's elements to the line, there to where `elements` is.
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
