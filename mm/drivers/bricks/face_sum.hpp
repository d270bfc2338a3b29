#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/drivers/bricks/brick_schedule.hpp"
#include "mm/drivers/bricks/split_stages.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Sums the contributions of the ranks that share C's face of their bricks and gives each its
/// share, tile by tile: the reverse of FaceGather, a reduce-scatter at each split, last to first.
///
/// Shares are whole columns, so with many ranks some are much larger than others, or empty. With a
/// single split, pieces of equally many elements are summed instead; then each rank passes on what
/// it summed of others' shares.
template <MatrixElement T>
class FaceSum {
 public:
  /// @param tiles  of the face, in each its shares one after the other.
  /// Does not communicate. Throws Error(out_of_memory).
  FaceSum(std::vector<SplitStage> stages, std::size_t share, std::vector<FaceRound> tiles);

  /// Where this rank's contribution to a tile goes before sum().
  LocalView<T> contribution(std::size_t tile) const;
  /// Sums a tile; returns this rank's share, in the contribution's memory. Collective.
  LocalView<const T> sum(std::size_t tile);

 private:
  struct Plans {
    std::vector<CollectivePlan> sums;     // by stage, last first
    std::vector<CollectivePlan> passing;  // then, to and from the ranks that share a column
  };
  Plans plans_for(const FaceRound& tile) const;
  /// Plans to sum equal pieces, for a single split.
  Plans equal_pieces(const FaceRound& tile) const;

  std::vector<SplitStage> stages_;
  std::size_t share_;
  std::vector<FaceRound> tiles_;
  AlignedArray<T> memory_;
  std::vector<Plans> plans_;      // by tile
  std::vector<Request> passing_;  // those under way
};

}  // namespace cuboid::detail
