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
  std::int64_t begin = 0;  ///< first vector, counted within the owner's part of the piece
  std::int64_t extent = 0;
  bool operator==(const VectorRun&) const = default;
};

/// Vectors that arrive together, in the order of their memory.
struct Slab {
  std::vector<VectorRun> runs;
  std::int64_t extent = 0;  ///< number of vectors of all runs
  std::int64_t begin = 0;   ///< the place of its first vector in memory, in vectors
};

/// The vectors that a rank on a line needs, from pieces of which all ranks of the line own parts.
struct Slabs {
  /// The first slab consists of the rank's own vectors. Each later slab has the same share of every
  /// piece from each rank.
  std::vector<Slab> all;
  /// By number of a slab, the rank's own vectors that it sends while the slab arrives; empty for
  /// the first.
  std::vector<Slab> sent;
};

/// The number of vectors of each piece that each rank of a line owns: [owner][piece].
using OwnedVectors = std::vector<std::vector<std::int64_t>>;

/// Cuts vectors into slabs. Pure.
/// @param own     the place of this rank on the line.
/// @param pieces  the pieces to cut.
/// @param come    the shares of the pieces that have arrived with each slab, ascending to 1.
Slabs cut_slabs(const OwnedVectors& owned, std::size_t own, std::span<const std::size_t> pieces,
                std::span<const double> come);

/// The number of vectors of a piece in a slab. Pure.
std::int64_t extent_of_piece(const Slab& slab, std::size_t piece);

}  // namespace cuboid::detail
