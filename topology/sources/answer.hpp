#pragma once

#include <cuboid/network.hpp>
#include <cuboid/shape.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cuboid::detail {

/// Nodes that are closer to each other than to others: those below one switch, in one Slurm block,
/// or a single host.
struct NodeGroup {
  std::string name;
  int level = 0;  ///< 0 is innermost; groups of one level do not overlap
  std::vector<int> nodes;
  bool operator==(const NodeGroup&) const = default;
};

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
