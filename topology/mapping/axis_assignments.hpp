#pragma once

#include <cuboid/grid.hpp>

#include <span>
#include <vector>

namespace cuboid::detail {

/// Every way to deal the axes of a shape and the cores of its nodes to the axes of a grid of these
/// extents, whose product is nodes * slots and of which there are at most 31: each a list of folds,
/// digits in no particular order. An axis may be cut into parts, one for each axis of the grid at
/// most, in every order of strides; of all ways those with the fewest axes of the shape cut are
/// given. Never empty.
std::vector<std::vector<Fold>> axis_assignments(const Shape& shape, int slots,
                                                std::span<const int> extents);

/// How many axes of the shape have to be cut to have a grid of these extents.
int fewest_cuts(const Shape& shape, int slots, std::span<const int> extents);

}  // namespace cuboid::detail
