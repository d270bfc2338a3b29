#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>

#include "models/multiplication/local_rectangle.hpp"

#include <vector>

namespace cuboid::detail {

/// Rectangles, each for one product, that together cover the triangle of a rank's part of a square
/// matrix, and no element twice; see lower_cover(). Pure.
std::vector<LocalRectangle> triangle_cover(const Layout& layout, GridPosition here,
                                           Triangle triangle);

}  // namespace cuboid::detail
