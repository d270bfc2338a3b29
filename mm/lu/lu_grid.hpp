#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/layered_grid.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace cuboid::detail {

/// The ranks of a layered grid, and the lines and planes along which LU communicates. All
/// communicators are invalid on ranks outside the grid.
struct LuGrid {
  LayeredGrid shape;
  std::optional<LayeredPosition> here;
  Communicator row;           ///< equal row and layer, by grid column
  Communicator column;        ///< equal column and layer, by grid row
  Communicator line;          ///< equal row and column, by layer
  Communicator row_plane;     ///< equal row, layer by layer
  Communicator column_plane;  ///< equal column, layer by layer

  /// Collective over `communicator`, also for ranks outside the grid. Throws
  /// Error(invalid_argument) if the grid has more ranks than there are.
  LuGrid(const Communicator& communicator, const LayeredGrid& grid);
};

/// The blocks of one layer's share, among the blocks that a rank holds along one dimension: each
/// layer has every `layers`-th block.
struct LayerBlocks {
  std::int64_t held;  ///< indices that the rank holds on all layers
  std::int64_t block;
  int layers;
  int layer;

  /// Calls `use(place among all, place in the share, length)` for each block.
  template <class Use>
  void for_each(const Use& use) const {
    std::int64_t in_share = 0;
    for (std::int64_t begin = layer * block; begin < held; begin += layers * block) {
      const std::int64_t length = std::min(block, held - begin);
      use(begin, in_share, length);
      in_share += length;
    }
  }
  std::int64_t extent() const {
    std::int64_t sum = 0;
    for_each([&](std::int64_t, std::int64_t, std::int64_t length) { sum += length; });
    return sum;
  }
};

}  // namespace cuboid::detail
