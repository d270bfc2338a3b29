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
  std::string evidence;  ///< what it was seen in, and how sure that is; one line
  /// The shape, where the source was told it: node i of the network is the shape's node i.
  std::optional<Shape> given_shape;
  /// Whether the cables listed are the cables there are, so that a shape may be sought in them.
  bool cables_known = false;
};

/// Why a source does not apply here; one line.
struct Declined {
  std::string reason;
};

using Answer = std::variant<Finding, Declined>;

}  // namespace cuboid::detail
