#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/drivers/bricks/brick_schedule.hpp"
#include "mm/drivers/bricks/split_stages.hpp"
#include "mm/local/panel_place.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Sums the contributions of the ranks that share a face of C and gives each rank its share, tile
/// by tile. It is the reverse of FaceGather: a reduce-scatter at each split, last to first.
///
/// Shares are whole columns of the face as it lies in memory, so with many ranks some shares are
/// much larger than others, or empty. With a single split, pieces of equally many elements are
/// summed instead where they are smaller (sums_in_pieces()); then each rank passes on its sums of
/// other ranks' shares.
template <MatrixElement T>
class FaceSum {
 public:
  /// @param tiles  the tiles of the face; in each tile shares follow one another.
  /// @param place  where this rank keeps its contribution.
  /// Does not communicate. Throws Error(out_of_memory).
  FaceSum(std::vector<SplitStage> stages, std::size_t share, std::vector<FaceRound> tiles,
          const PanelPlace& place);

  /// The memory for this rank's contribution to a tile, to be filled before sum().
  LocalView<T> contribution(std::size_t tile) const;
  /// Sums a tile; returns this rank's share, in the contribution's memory. Collective.
  LocalView<const T> sum(std::size_t tile);

 private:
  struct Plans {
    std::vector<CollectivePlan> sums;  // by stage, last first
    // Messages after the sums, to and from the ranks that share a column.
    std::vector<CollectivePlan> passing;
  };
  Plans plans_for(const FaceRound& tile) const;
  /// Plans to sum equal pieces, for a single split.
  Plans equal_pieces(const FaceRound& tile) const;

  std::vector<SplitStage> stages_;
  std::size_t share_;
  std::vector<FaceRound> tiles_;
  PanelMemory<T> memory_;
  std::vector<Plans> plans_;      // by tile
  std::vector<Request> passing_;  // messages in flight
};

}  // namespace cuboid::detail
