#pragma once

#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>
#include <cuboid/local_lapack.hpp>

#include "models/multiplication/lower_cover.hpp"

#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Numbers begin … begin + length - 1.
struct TriangleRange {
  std::int64_t begin = 0;
  std::int64_t length = 0;
  bool operator==(const TriangleRange&) const = default;
};

/// A block of a triangle: a whole rectangle, or a square on the diagonal, of which one triangle
/// counts.
struct TriangleBlock {
  TriangleRange rows;
  TriangleRange columns;
  bool on_diagonal() const { return rows == columns; }
  bool operator==(const TriangleBlock&) const = default;
};

/// Cuts a triangle of order n into at most 4 squares on its diagonal, which come first, and the
/// rectangles between them: halves of halves, as long as a part is worth a product of its own. A
/// product that covers the squares as a whole does 5/8 of the work for the full matrix. Pure.
/// @param block  the block of the layout; cuts are between blocks, unless blocks are too long for
///               that.
std::vector<TriangleBlock> triangle_blocks(std::int64_t n, Triangle triangle, std::int64_t block);

/// Rectangles, each for one product, that together cover the triangle of a rank's part of a square
/// matrix, and no element twice; see lower_cover(). Pure.
std::vector<LocalRectangle> triangle_cover(const Layout& layout, GridPosition here,
                                           Triangle triangle);

}  // namespace cuboid::detail
