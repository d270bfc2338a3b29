#pragma once

#include "mm/decompositions/brick_grid.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// The number of bricks along rows, columns and layers.
using BrickParts = std::array<int, 3>;

/// The largest brick of a grid: the data that its rank holds and receives.
class LargestBrick {
 public:
  LargestBrick(const ProductSize& size, const BrickParts& parts);

  double work() const { return rows_ * columns_ * inner_; }

  /// The most words of A, B and C that come to the rank if each face comes once. The rank may own
  /// the smallest shares.
  std::array<double, 3> most_words() const;
  /// The least words that come to the rank in these steps. No rank's shares of A and B are larger;
  /// of C some rank's share is at least an equal part of the face.
  double least_words(const BrickSteps& steps) const;

  /// Words of memory: the shares of A, B and C; the panels of A and B in flight (two of each with
  /// several steps, none of an operand that no other rank shares); and, if other layers contribute
  /// to C, the rank's own contribution to a tile and the contributions that it receives.
  double memory(const BrickSteps& steps) const;
  /// The least words of memory with any tiles and any number of rounds, or with the given number of
  /// rounds.
  double least_memory(std::optional<int> rounds) const;

  /// The steps that fit into `memory` words with any number of rounds, or with the given number.
  /// There is one tile if that fits. Otherwise they are the tiles with the fewest words; of several
  /// equally good cuts, the one with the fewest tiles. `memory` must be at least least_memory().
  BrickSteps tiles_that_fit(std::optional<int> rounds, double memory) const;
  /// The number of rounds with these tiles: as many as overlap needs, or more if memory is short.
  int rounds_that_fit(BrickSteps steps, double memory) const;

 private:
  /// The words of each face without the share that the rank owns: the more of some whole rows and
  /// some whole columns. `rounded` makes a whole number of a share of them.
  template <class Rounded>
  std::array<double, 3> face_words(const Rounded& rounded) const;
  /// The most rounds: at least one outer product per share and round.
  int most_rounds() const;
  int rounds_to_overlap() const;
  double least_memory_in(BrickSteps tiles, std::optional<int> rounds) const;

  BrickParts parts_;
  double rows_, columns_, inner_;
};

}  // namespace cuboid::detail
