#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// The findings of a source.
struct Finding {
  Network network;
  std::vector<int> node_of_rank;
  std::vector<NodeGroup> groups;
  std::string evidence;  ///< what the finding is based on, and how certain it is; one line
  /// The shape, if the source was given one: node i of the network is the shape's node i.
  std::optional<Shape> given_shape;
  /// True if the list of cables is complete, so that a shape can be recognised in the network.
  bool cables_known = false;
  /// The bytes that every link carries at once after a rest, beyond its rate; 0 if unknown.
  double burst_bytes = 0;
  std::vector<std::string> doubts = {};  ///< parts of the source passed over; one line each
};

/// The reason why a source does not apply here; one line.
struct Declined {
  std::string reason;
};

using Answer = std::variant<Finding, Declined>;

}  // namespace cuboid::detail
