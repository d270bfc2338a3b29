#include "mm/drivers/bricks/split_stages.hpp"

#include "mm/matrix/ranks.hpp"

#include <numeric>

namespace cuboid::detail {

std::vector<Communicator> split_communicators(const Communicator& communicator,
                                              const BrickGrid& grid) {
  const int rank = communicator.rank();
  std::vector<Communicator> result;
  int neighbours = grid.ranks();  // distance of ranks in neighbouring parts of the split
  for (std::size_t split = 0; split < grid.splits().size(); ++split) {
    const int parts = grid.splits()[split].parts;
    const int whole = neighbours;
    neighbours /= parts;
    if (rank >= grid.ranks()) {
      result.push_back(communicator.split(no_part));
      continue;
    }
    const int part = grid.digit(rank, split);
    result.push_back(communicator.split(rank / whole * whole + rank % neighbours, part));
  }
  return result;
}

std::vector<SplitStage> stages_across(const BrickGrid& grid, int rank, WorkAxis across,
                                      const std::vector<Communicator>& communicators) {
  std::vector<SplitStage> stages;
  std::size_t shares = 1;
  for (std::size_t split = 0; split < grid.splits().size(); ++split) {
    if (grid.splits()[split].along != across) continue;
    stages.push_back({communicators[split], grid.digit(rank, split), shares});
    shares *= as_size(grid.splits()[split].parts);
  }
  return stages;
}

std::size_t StageBlocks::all() const {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

StageBlocks blocks_of(const SplitStage& stage, std::size_t share, const FaceRound& round) {
  const std::size_t parts = as_size(stage.ranks.size());
  const std::size_t group = stage.shares * parts;
  const std::size_t first = share / group * group;
  StageBlocks blocks;
  blocks.begin = round.rows * round.columns_of(0, first);
  for (std::size_t part = 0; part < parts; ++part) {
    if (part == as_size(stage.part)) blocks.own_offset = blocks.all();
    blocks.counts.push_back(static_cast<std::size_t>(
        round.rows * round.columns_of(first + part * stage.shares, stage.shares)));
  }
  return blocks;
}

}  // namespace cuboid::detail
