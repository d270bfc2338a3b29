#pragma once

#include <cuboid/layout.hpp>

#include "mm/decompositions/layered_grid.hpp"
#include "models/multiplication/slab_cut.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The cut of a product on a grid of layers into slabs: many enough that little work waits for the
/// last, each wide enough for the local gemm, and as long as possible without delaying the sums.
/// Pure.
SlabCut slab_cut(const ProductSize& size, const LayeredGrid& grid);

/// Consecutive rows of op(A) or columns of op(B) ("vectors") of one piece of the block that one
/// rank of a line owns.
struct VectorRun {
  std::size_t owner = 0;
  std::size_t piece = 0;
  std::int64_t begin = 0;  ///< among what the owner has of the piece
  std::int64_t extent = 0;
  bool operator==(const VectorRun&) const = default;
};

/// Vectors that arrive together, in the order of their memory.
struct Slab {
  std::vector<VectorRun> runs;
  std::int64_t extent = 0;  ///< of all of them
  std::int64_t begin = 0;   ///< where they lie, in vectors
};

/// The vectors of a rank on a line, of pieces that all ranks of the line own parts of.
struct Slabs {
  /// First its own vectors, then those that arrive: the same share of every piece from each rank.
  std::vector<Slab> all;
  /// What it sends while the slab of that number comes, of what is its own; nothing with the first.
  std::vector<Slab> sent;
};

/// How many vectors each rank of a line owns of each piece: [owner][piece].
using OwnedVectors = std::vector<std::vector<std::int64_t>>;

/// @param own     which rank of the line this one is.
/// @param pieces  those to cut.
/// @param come    shares of them that have come with each slab, ascending to 1. Pure.
Slabs cut_slabs(const OwnedVectors& owned, std::size_t own, std::span<const std::size_t> pieces,
                std::span<const double> come);

/// How many vectors of a slab are of a piece. Pure.
std::int64_t extent_of_piece(const Slab& slab, std::size_t piece);

}  // namespace cuboid::detail
