#pragma once

#include <cuboid/mm/index.hpp>
#include <cuboid/models/slab_cut.hpp>

#include <cstdint>
#include <vector>

namespace cuboid {

/// For so many of a rank's rows and columns: enough slabs that little waits for the last, each wide
/// enough for the local gemm. Pure.
SlabCut slab_cut(std::int64_t rows, std::int64_t columns);

/// Consecutive parts of a rank's rows or columns that travel together: of each piece (a layer's
/// share) an equal part.
struct Slab {
  std::vector<LocalRange<Inner>> ranges;  ///< one per piece
  std::int64_t extent = 0;                ///< of all of them
  std::int64_t begin = 0;                 ///< extent of all slabs before
};

/// Cuts pieces that lie one behind the other into slabs, each of them alike. Pure.
std::vector<Slab> cut_slabs(const std::vector<std::int64_t>& pieces, SlabCut cut);

}  // namespace cuboid
