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
  double words = 0;  ///< the largest burst; 0 for a cable
  /// Words that links could have carried between the operands and the sums of bricks, while all
  /// ranks multiply.
  double while_multiplying = 0;
};

/// Matrix elements that cross the busiest link of a torus or mesh in one direction, summed over the
/// steps of a multiplication that follows another. Messages take dimension-ordered routes (Routes).
/// Traffic within a node and bursts do not count. In large networks some ranks are followed and
/// stand for all (RoutedLoad).
struct BusiestLink {
  double operands = 0;  ///< words of A and B
  double sums = 0;      ///< words of the sums of C
};

/// SRUMMA's gets, all at once. Pure; time: ranks × those of a row and a column × length of a route.
/// Throws Error(invalid_argument) if the placement lacks a rank.
BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// The shifts of Cannon's algorithm and SD-Cannon. First every block goes to the rank that
/// multiplies it first; then during each step the blocks of all colours shift at once, each colour
/// with its part of the inner dimension. Pure; time: ranks × steps × colours × length of a route.
/// Throws as above.
BusiestLink busiest_link_of_rotations(const GridShape& grid, std::span<const Rotation> colours,
                                      const ProductSize& size, const Placement& placement,
                                      const BurstCredit& burst_credit = {});

/// The exchanges of COSMA and CARMA, split by split, A's and B's at the same time. A rank's part of
/// a face goes to the others along the tree of its routes to them, as in the best all-gather. Pure;
/// time: ranks × ranks that share a face × length of a route. Throws as above.
BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// Words that cross each link of the lines of a grid: those of A and B at the same time over
/// separate links, then those of C over other links.
struct WordsOfLines {
  double a = 0;
  double b = 0;
  double c = 0;
};
BusiestLink busiest_link_of_lines(const WordsOfLines& words, const BurstCredit& burst_credit);

}  // namespace cuboid::detail
