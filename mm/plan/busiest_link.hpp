#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "mm/decompositions/brick_grid.hpp"
#include "mm/decompositions/rotation.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// The burst that idle links may carry beyond their rate later on (see TokenBuckets), in matrix
/// elements.
struct BurstCredit {
  double words = 0;  ///< at most; 0 of a cable
  /// That they could have carried between bricks' operands and sums, while all ranks multiply.
  double while_multiplying = 0;
};

/// Matrix elements that cross the busiest link of a torus or mesh in one direction, summed over the
/// steps of a multiplication that follows another. Messages take dimension-ordered routes (Routes).
/// Traffic within a node and bursts do not count. Of large networks some ranks are followed, which
/// stand for all (RoutedLoad).
struct BusiestLink {
  double operands = 0;  ///< of A and B
  double sums = 0;      ///< of C
};

/// SRUMMA's gets, all at once. Pure; time: ranks × those of a row and a column × length of a route.
/// Throws Error(invalid_argument) if the placement lacks a rank.
BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// Cannon's and SD-Cannon's shifts: first every block to where it is multiplied first, then under
/// each step those of all colours at once, each of its part of the inner dimension. Pure; time:
/// ranks × steps × colours × length of a route. Throws as above.
BusiestLink busiest_link_of_rotations(const GridShape& grid, std::span<const Rotation> colours,
                                      const ProductSize& size, const Placement& placement,
                                      const BurstCredit& burst_credit = {});

/// COSMA's and CARMA's exchanges: split for split, A's and B's at once, every rank's part of a face
/// going to the others along the tree of its routes to them, as the best of all-gathers would have
/// it. Pure; time: ranks × ranks that share a face × length of a route. Throws as above.
BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// Words that cross each link of the lines of a grid: A's and B's at the same time over separate
/// links, then C's over others.
struct WordsOfLines {
  double a = 0;
  double b = 0;
  double c = 0;
};
BusiestLink busiest_link_of_lines(const WordsOfLines& words, const BurstCredit& burst_credit);

}  // namespace cuboid::detail
