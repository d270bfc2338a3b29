#pragma once

#include <cuboid/shape.hpp>

#include <utility>
#include <vector>

namespace cuboid::detail {

/// Every shape of 1 to `max_dimensions` axes and at most `max_nodes` nodes: all extents from 1 on,
/// all wrap patterns, with the axes in every order. The single node is the first.
inline std::vector<Shape> shapes_up_to(NodeIndex max_nodes, int max_dimensions) {
  std::vector<Shape> shapes{Shape()};
  for (std::size_t begin = 0, dimensions = 0; std::cmp_less(dimensions, max_dimensions);
       ++dimensions) {
    const std::size_t end = shapes.size();
    for (; begin < end; ++begin) {
      for (int extent = 1; extent * shapes[begin].nodes() <= max_nodes; ++extent) {
        for (const bool wraps : {false, true}) {
          std::vector<Axis> axes = shapes[begin].axes();
          axes.push_back({extent, wraps});
          shapes.emplace_back(std::move(axes));
        }
      }
    }
  }
  return shapes;
}

}  // namespace cuboid::detail
