#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// What a source found.
struct Finding {
  Network network;
  std::vector<int> node_of_rank;
  std::vector<NodeGroup> groups;
  std::string evidence;  ///< what it is based on, and how certain it is; one line
  /// The shape, if the source was given it: node i of the network is the shape's node i.
  std::optional<Shape> given_shape;
  /// True if the list of cables is complete, so that a shape can be recognised in it.
  bool cables_known = false;
  /// What every link carries at once after a rest, beyond its rate; 0 if that is unknown.
  double burst_bytes = 0;
  std::vector<std::string> doubts = {};  ///< what of its source was passed over; one line each
};

/// Why a source does not apply here; one line.
struct Declined {
  std::string reason;
};

using Answer = std::variant<Finding, Declined>;

}  // namespace cuboid::detail
