#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/brick_grid.hpp"
#include "mm/drivers/bricks/brick_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// One communicator per split of a grid. It has the ranks that differ from this rank only in the
/// part of that split, numbered by part. On ranks outside the grid the communicators are invalid.
/// Collective over `communicator`.
std::vector<Communicator> split_communicators(const Communicator& communicator,
                                              const BrickGrid& grid);

/// A rank's place in the exchange at one split: its part, and the number of shares that each rank
/// holds before the exchange.
struct SplitStage {
  Communicator ranks;
  int part = 0;
  std::size_t shares = 1;
};

/// The stages at the splits along an axis, first split first.
std::vector<SplitStage> stages_across(const BrickGrid& grid, int rank, WorkAxis across,
                                      const std::vector<Communicator>& communicators);

/// The elements of a round that the ranks of a stage hold, by part, and the place of the first
/// element.
struct StageBlocks {
  std::int64_t begin = 0;
  std::vector<std::size_t> counts;
  std::size_t own_offset = 0;

  std::size_t all() const;
};

/// @param share  this rank's share.
StageBlocks blocks_of(const SplitStage& stage, std::size_t share, const FaceRound& round);

}  // namespace cuboid::detail
