#pragma once

#include <cuboid/mm/brick_grid.hpp>
#include <cuboid/mm/grid_shape.hpp>
#include <cuboid/mm/index.hpp>
#include <cuboid/mm/stored_product.hpp>
#include <cuboid/topology/placement.hpp>

#include <cstdint>

namespace cuboid {

/// Matrix elements that cross the busiest link of a torus or mesh, in one direction, step for step
/// and added up; messages take the routes that are dimension-ordered (Routes). Nothing within a
/// node is counted, nor what a link can carry beyond its rate because it carried less in the steps
/// before: so many elements at most, `catch_up_words` (see TokenBuckets), 0 of a cable.
struct BusiestLink {
  double operands = 0;  ///< of A and B
  double sums = 0;      ///< of C
};

/// SRUMMA's gets: in each step, every rank's for the task that it has then. Pure; time: ranks ×
/// tasks × length of a route. Throws Error(invalid_argument) where the placement lacks a rank.
BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   std::int64_t widest_task, const Placement& placement,
                                   double catch_up_words = 0);

/// COSMA's and CARMA's exchanges: split for split, A's and B's at once, every rank's part of a face
/// going to the others along the tree of its routes to them, as the best of all-gathers would have
/// it. Pure; time: ranks × ranks that share a face × length of a route. Throws as above.
BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement,
                                   double catch_up_words = 0);

}  // namespace cuboid
