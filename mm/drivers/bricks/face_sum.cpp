#include "mm/drivers/bricks/face_sum.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/point_to_point.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/even_parts.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

std::int64_t largest_of(const std::vector<FaceRound>& tiles) {
  std::int64_t largest = 0;
  for (const FaceRound& tile : tiles) largest = std::max(largest, tile.rows * tile.all_columns());
  return largest;
}

}  // namespace

template <MatrixElement T>
FaceSum<T>::FaceSum(std::vector<SplitStage> stages, std::size_t share, std::vector<FaceRound> tiles,
                    const PanelPlace& place)
    : stages_(std::move(stages)),
      share_(share),
      tiles_(std::move(tiles)),
      memory_(place.memory<T>(largest_of(tiles_), "a layer's sums of C")) {
  std::size_t most = 0;
  for (const FaceRound& tile : tiles_) {
    const bool in_pieces =
        stages_.size() == 1 && sums_in_pieces(tile.rows, *std::ranges::max_element(tile.columns),
                                              tile.all_columns(), std::ssize(tile.columns));
    plans_.push_back(in_pieces ? equal_pieces(tile) : plans_for(tile));
    most = std::max(most, plans_.back().passing.size());
  }
  passing_.reserve(most);
}

template <MatrixElement T>
typename FaceSum<T>::Plans FaceSum<T>::plans_for(const FaceRound& tile) const {
  Plans plans;
  for (std::size_t stage = stages_.size(); stage-- > 0;) {
    const StageBlocks blocks = blocks_of(stages_[stage], share_, tile);
    T* const begin = memory_.data() + blocks.begin;
    plans.sums.push_back(plan_reduce_scatterv(
        stages_[stage].ranks, ConstBuffer(begin, blocks.all(), datatype_of<T>()),
        Buffer(begin + blocks.own_offset, blocks.counts[as_size(stages_[stage].part)],
               datatype_of<T>()),
        blocks.counts, Reduction::Kind::sum));
  }
  return plans;
}

template <MatrixElement T>
typename FaceSum<T>::Plans FaceSum<T>::equal_pieces(const FaceRound& tile) const {
  const SplitStage& stage = stages_.front();
  const std::int64_t ranks = std::ssize(tile.columns);
  const std::int64_t elements = tile.rows * tile.all_columns();
  const auto piece_begin = [&](std::int64_t part) { return part_begin(elements, part, ranks); };
  std::vector<std::size_t> counts;
  for (std::int64_t part = 0; part < ranks; ++part)
    counts.push_back(static_cast<std::size_t>(piece_begin(part + 1) - piece_begin(part)));
  T* const face = memory_.data();
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    return Buffer(face + begin, static_cast<std::size_t>(std::max<std::int64_t>(end - begin, 0)),
                  datatype_of<T>());
  };
  const std::int64_t mine = stage.part, piece = piece_begin(mine),
                     next_piece = piece_begin(mine + 1);
  Plans plans;
  plans.sums.push_back(plan_reduce_scatterv(
      stage.ranks, range(0, elements), range(piece, next_piece), counts, Reduction::Kind::sum));
  const std::int64_t share = tile.rows * tile.columns_of(0, share_);
  const std::int64_t next_share = share + tile.rows * tile.columns[share_];
  std::int64_t theirs = 0;
  for (int part = 0; part < ranks; ++part) {
    const std::int64_t next = theirs + tile.rows * tile.columns[as_size(part)];
    if (part != mine) {
      const Buffer passed_on = range(std::max(theirs, piece), std::min(next, next_piece));
      const Buffer lacking =
          range(std::max(share, piece_begin(part)), std::min(next_share, piece_begin(part + 1)));
      if (lacking.count > 0) plans.passing.push_back(plan_receive(stage.ranks, lacking, part));
      if (passed_on.count > 0) plans.passing.push_back(plan_send(stage.ranks, passed_on, part));
    }
    theirs = next;
  }
  return plans;
}

template <MatrixElement T>
LocalView<T> FaceSum<T>::contribution(std::size_t tile) const {
  return dense_view(memory_.data(), tiles_[tile].rows, tiles_[tile].all_columns());
}

template <MatrixElement T>
LocalView<const T> FaceSum<T>::sum(std::size_t tile) {
  Plans& plans = plans_[tile];
  for (CollectivePlan& plan : plans.sums) plan.run();
  for (CollectivePlan& plan : plans.passing) passing_.push_back(plan.start());
  for (Request& one : passing_) one.wait();
  passing_.clear();
  const FaceRound& face = tiles_[tile];
  return contribution(tile).block(0, face.columns_of(0, share_), face.rows, face.columns[share_]);
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(FaceSum);

}  // namespace cuboid::detail
