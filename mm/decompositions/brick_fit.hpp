#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// Rows × columns × layers of bricks.
using BrickParts = std::array<int, 3>;

/// The largest brick of a grid, as numbers: what the rank with most has to hold and to receive.
class LargestBrick {
 public:
  LargestBrick(const ProductSize& size, const BrickParts& parts);

  double work() const { return rows_ * columns_ * inner_; }

  /// Words of A, B and C that come to the rank once, at most: it may own the smallest shares.
  std::array<double, 3> most_words() const;
  /// Words that come to it in these steps, at least: no rank's shares are larger, and sums of C
  /// come in pieces that differ by an element.
  double least_words(const BrickSteps& steps) const;

  /// Words that it holds: its shares of A, B and C; the panels of A and B in flight (two of each
  /// with several steps, none of an operand that no other rank shares); and, if other layers
  /// contribute to C, its own contribution to a tile and those received.
  double memory(const BrickSteps& steps) const;
  /// With the tiles and rounds that take least, or with the rounds that are given.
  double least_memory(std::optional<int> rounds) const;

  /// One tile if that fits into `memory` words with any number of rounds, or with those given; else
  /// the tiles that fit of the fewest words, of equal ones the fewest. least_memory() must fit.
  BrickSteps tiles_that_fit(std::optional<int> rounds, double memory) const;
  /// The number of rounds of that many tiles: as overlap asks for, or as memory does.
  int rounds_that_fit(BrickSteps steps, double memory) const;

 private:
  /// Face by face, all but the shares it owns: whole columns, so many of each.
  std::array<double, 3> face_words(double own_inner, double own_b_columns,
                                   double own_c_columns) const;
  /// At most one outer product per share and round.
  int most_rounds() const;
  int rounds_to_overlap() const;
  double least_memory_in(BrickSteps tiles, std::optional<int> rounds) const;

  BrickParts parts_;
  double rows_, columns_, inner_;
};

}  // namespace cuboid::detail
