#pragma once

#include <cuboid/shape.hpp>

#include "topology/shape/cuboid.hpp"

#include <string>
#include <vector>

namespace cuboid::detail::tools {

/// A part of a network as the user gave it: so many nodes along each axis, from a node on.
struct SubBox {
  std::vector<int> extents;
  Coordinate origin;
  std::string text;

  /// Throws Error(invalid_argument) naming --sub-box where it is no part of the shape.
  Cuboid in(const Shape& shape) const;
};

/// Reads "2x2@1,1"; without a first node it is the network's. Throws Error(invalid_argument) naming
/// --sub-box.
SubBox parse_sub_box(const std::string& text);

}  // namespace cuboid::detail::tools
