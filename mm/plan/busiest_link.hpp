#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "mm/decompositions/brick_grid.hpp"

namespace cuboid::detail {

/// The matrix elements that cross the busiest link of a torus or mesh in one direction, summed over
/// the steps of a multiplication. Messages take dimension-ordered routes (Routes). Traffic within a
/// node does not count. In networks of more than 256 ranks the messages of some ranks are followed,
/// which stand for all ranks: all links of one direction of an axis are assumed to carry equally
/// much; on axes that do not wrap, the links in the middle carry half as much again, as in an
/// all-to-all.
struct BusiestLink {
  double operands = 0;  ///< words of A and B
  double sums = 0;      ///< words of the sums of C
};

/// The load of SRUMMA's gets, all at once. Pure. Takes time in proportion to ranks × ranks of a row
/// and a column × length of a route. Throws Error(invalid_argument) if the placement lacks a rank.
BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement);

/// The load of the exchanges of COSMA and CARMA, split by split, with A's and B's at the same time.
/// A rank's part of a face goes to the other ranks along the tree of its routes to them, as in the
/// best all-gather. Pure. Takes time in proportion to ranks × ranks that share a face × length of a
/// route. Throws as above.
BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement);

}  // namespace cuboid::detail
