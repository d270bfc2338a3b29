#pragma once

#include <cuboid/shape.hpp>

#include "topology/shape/cuboid.hpp"

#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A part of a network as the user gave it: a number of nodes along each axis, and the first node.
struct SubBox {
  std::vector<int> extents;
  Coordinate origin;
  std::string text;

  /// Throws Error(invalid_argument) naming --sub-box if it is not a part of the shape.
  Cuboid in(const Shape& shape) const;
};

/// Reads "2x2@1,1". The first node defaults to the network's first. Throws Error(invalid_argument)
/// naming --sub-box.
SubBox parse_sub_box(const std::string& text);

}  // namespace cuboid::detail::tools
