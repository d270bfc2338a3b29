#pragma once

#include <cuboid/grid.hpp>

#include <span>
#include <vector>

namespace cuboid::detail {

/// All assignments of the axes of a shape and of the cores of its nodes to the axes of a grid. The
/// grid has at most 31 axes, and the product of its extents is nodes * slots. Each assignment is a
/// list of folds, with digits in no particular order. An axis may be cut into parts, at most one
/// part for each axis of the grid, in every order of strides. Only assignments with the fewest cut
/// axes are returned. The result is never empty.
std::vector<std::vector<Fold>> axis_assignments(const Shape& shape, int slots,
                                                std::span<const int> extents);

/// The least number of axes of the shape that must be cut for a grid of these extents.
int fewest_cuts(const Shape& shape, int slots, std::span<const int> extents);

}  // namespace cuboid::detail
