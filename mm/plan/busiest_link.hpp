#pragma once

#include <cuboid/grid.hpp>
#include <cuboid/grid_shape.hpp>
#include <cuboid/layout.hpp>

#include "mm/decompositions/brick_grid.hpp"
#include "mm/decompositions/rotation.hpp"

#include <cstdint>
#include <span>

namespace cuboid::detail {

/// The burst, in matrix elements, that links may later carry beyond their rate because they were
/// idle (see TokenBuckets).
struct BurstCredit {
  double words = 0;  ///< the largest burst; 0 for a cable
  /// Words that links could have carried between the operands and the sums of bricks, while all
  /// ranks multiply.
  double while_multiplying = 0;
};

/// The matrix elements that cross the busiest link of a torus or mesh in one direction, summed over
/// the steps of a multiplication that follows another one. Messages take dimension-ordered routes
/// (Routes). Traffic within a node and bursts do not count. In large networks the messages of only
/// some ranks are followed, which stand for all ranks (RoutedLoad).
struct BusiestLink {
  double operands = 0;  ///< words of A and B
  double sums = 0;      ///< words of the sums of C
};

/// The load of SRUMMA's gets, all at once. Pure. Takes time in proportion to ranks × ranks of a row
/// and a column × length of a route. Throws Error(invalid_argument) if the placement lacks a rank.
BusiestLink busiest_link_of_srumma(const GridShape& grid, const ProductSize& size,
                                   const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// The load of the shifts of Cannon's algorithm and SD-Cannon. First every block goes to the rank
/// that multiplies it first. Then during each step the blocks of all colours shift at once, each
/// colour with its part of the inner dimension. Pure. Takes time in proportion to ranks × steps ×
/// colours × length of a route. Throws as above.
BusiestLink busiest_link_of_rotations(const GridShape& grid, std::span<const Rotation> colours,
                                      const ProductSize& size, const Placement& placement,
                                      const BurstCredit& burst_credit = {});

/// The load of the exchanges of COSMA and CARMA, split by split, with A's and B's at the same time.
/// A rank's part of a face goes to the other ranks along the tree of its routes to them, as in the
/// best all-gather. Pure. Takes time in proportion to ranks × ranks that share a face × length of a
/// route. Throws as above.
BusiestLink busiest_link_of_bricks(const BrickGrid& bricks, const Placement& placement,
                                   const BurstCredit& burst_credit = {});

/// The words that cross each link of the lines of a grid: first the words of A and B at the same
/// time over separate links, then the words of C over other links.
struct WordsOfLines {
  double a = 0;
  double b = 0;
  double c = 0;
};
BusiestLink busiest_link_of_lines(const WordsOfLines& words, const BurstCredit& burst_credit);

}  // namespace cuboid::detail
