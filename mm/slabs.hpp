#pragma once

#include <cuboid/mm/index.hpp>
#include <cuboid/models/slab_cut.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid {

/// For a block of C of so many rows and columns, owned in equal parts by the ranks of two lines:
/// enough slabs that little waits for the last, each wide enough for the local gemm. Pure.
/// @param row_owners     ranks of the line along which op(A)'s rows come, >= 1
/// @param column_owners  and of that along which op(B)'s columns come, >= 1
SlabCut slab_cut(std::int64_t rows, std::int64_t columns, int row_owners, int column_owners);

/// Rows of op(A), or columns of op(B), that reach a rank together, in the order in which they lie
/// in its memory.
struct Slab {
  std::vector<LocalRange<Row>> ranges;  ///< of the block, by owner
  std::int64_t extent = 0;              ///< of all of them
  std::int64_t begin = 0;               ///< extent of all slabs before
};

/// What a rank of a line has of a block that its ranks own in parts, one behind the other.
struct Slabs {
  /// First what is its own, then those that come: an equal part of each other's.
  std::vector<Slab> all;
  /// What it sends while the slab of that number comes, of what is its own; nothing with the first.
  std::vector<LocalRange<Row>> sent;
};

/// @param parts  extents of the parts, by owner.  @param own  which of them is this rank's. Pure.
Slabs cut_slabs(const std::vector<std::int64_t>& parts, std::size_t own, const SlabCut& cut);

/// What of a slab lies in a range of the block, run by run. Pure.
std::vector<LocalRange<Row>> runs_inside(const Slab& slab, LocalRange<Row> range);

}  // namespace cuboid
