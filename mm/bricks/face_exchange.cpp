#include "mm/bricks/face_exchange.hpp"

#include <cuboid/allgather.hpp>
#include <cuboid/point_to_point.hpp>
#include <cuboid/reduce_scatter.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "mm/layout/as_size.hpp"
#include "mm/layout/even_parts.hpp"
#include "mm/layout/no_part.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <numeric>
#include <utility>

namespace cuboid::detail {

namespace {

/// The elements that the ranks of a stage hold, by part, and where the first begins.
struct StageBlocks {
  std::int64_t begin = 0;
  std::vector<std::size_t> counts;
  std::size_t own_offset = 0;

  std::size_t all() const { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }
};

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

template <class T>
LocalView<T> dense(T* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, std::max<std::int64_t>(rows, 1)};
}

}  // namespace

std::vector<Communicator> split_communicators(const Communicator& communicator,
                                              const BrickGrid& grid) {
  const int rank = communicator.rank();
  std::vector<Communicator> result;
  int neighbours = grid.ranks();  // how far ranks in neighbouring parts of the split are apart
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

template <MatrixElement T>
FaceGather<T>::FaceGather(std::vector<SplitStage> stages, std::size_t share, FaceRounds rounds)
    : stages_(std::move(stages)), share_(share), rounds_(std::move(rounds)) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_.rounds)
    largest = std::max(largest, round.rows * round.all_columns());
  const std::size_t copies = rounds_.by_step.size() > 1 ? 2 : 1;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    panels_.emplace_back(largest, "a panel of a brick's face");
  }
  plans_.resize(stages_.size());
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> planned;  // by round and panel
  for (std::size_t step = 0; step < rounds_.by_step.size(); ++step) {
    const std::pair which(rounds_.by_step[step], step % copies);
    const auto [plan, is_new] = planned.try_emplace(which, planned.size());
    plan_of_step_.push_back(plan->second);
    for (std::size_t stage = 0; is_new && stage < stages_.size(); ++stage) {
      const StageBlocks blocks = blocks_of(stages_[stage], share_, rounds_.at(step));
      T* const begin = panel(step).data + blocks.begin;
      const std::size_t own = blocks.counts[as_size(stages_[stage].part)];
      plans_[stage].push_back(plan_allgatherv(
          stages_[stage].ranks, ConstBuffer(begin + blocks.own_offset, own, datatype_of<T>()),
          Buffer(begin, blocks.all(), datatype_of<T>()), blocks.counts));
    }
  }
}

template <MatrixElement T>
LocalView<T> FaceGather<T>::panel(std::size_t step) const {
  return dense(panels_[step % panels_.size()].data(), rounds_.at(step).rows,
               rounds_.at(step).all_columns());
}

template <MatrixElement T>
LocalView<T> FaceGather<T>::own(std::size_t step) const {
  const FaceRound& face = rounds_.at(step);
  return panel(step).block(0, face.columns_of(0, share_), face.rows, face.columns[share_]);
}

template <MatrixElement T>
void FaceGather<T>::start(std::size_t step) {
  step_ = step;
  stage_ = 0;
  start_stage();
}

template <MatrixElement T>
void FaceGather<T>::start_stage() {
  if (stage_ == stages_.size()) {
    request_.reset();
  } else {
    request_ = plans_[stage_][plan_of_step_[step_]].start();
  }
}

template <MatrixElement T>
bool FaceGather<T>::progress() {
  while (request_ && request_->test()) {
    // If calls are compared (CUBOID_CHECK), a start waits for all ranks: it happens only in
    // finish(), which all ranks reach in the same order.
    if (stages_[stage_].ranks.environment().compares_calls()) return false;
    ++stage_;
    start_stage();
  }
  return request_.has_value();
}

template <MatrixElement T>
std::span<const FacePiece<T>> FaceGather<T>::finish() {
  while (request_) {
    request_->wait();
    ++stage_;
    start_stage();
  }
  piece_ = {0, panel(step_)};
  return {&piece_, 1};
}

template <MatrixElement T>
FaceFetch<T>::FaceFetch(const Communicator& sharers, FaceRounds rounds)
    : sharers_(sharers),
      rounds_(std::move(rounds)),
      window_(sharers, checked_bytes(offset(sharers.rank(), rounds_.rounds.size()), sizeof(T),
                                     "a share of a brick's face")) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_.rounds) {
    std::int64_t fetched = 0;
    for (int share = 0; share < sharers.size(); ++share) {
      if (window_.direct(share).empty()) fetched += round.rows * round.columns[as_size(share)];
    }
    largest = std::max(largest, fetched);
  }
  const std::size_t copies = rounds_.by_step.size() > 1 ? 2 : 1;
  collective_try(sharers, [&] {
    for (std::size_t copy = 0; copy < copies; ++copy) {
      panels_.emplace_back(largest, "a panel of a brick's face");
    }
  });
  pieces_.reserve(as_size(sharers.size()));
}

template <MatrixElement T>
std::int64_t FaceFetch<T>::offset(int share, std::size_t round) const {
  std::int64_t elements = 0;
  for (std::size_t earlier = 0; earlier < round; ++earlier) {
    const FaceRound& face = rounds_.rounds[earlier];
    elements += face.rows * face.columns[as_size(share)];
  }
  return elements;
}

template <MatrixElement T>
LocalView<T> FaceFetch<T>::own(std::size_t step) const {
  const int share = sharers_.rank();
  const FaceRound& face = rounds_.at(step);
  // A window's memory begins at a page.
  T* const memory = reinterpret_cast<T*>(window_.local().data());
  return dense(memory + offset(share, rounds_.by_step[step]), face.rows,
               face.columns[as_size(share)]);
}

template <MatrixElement T>
void FaceFetch<T>::start(std::size_t step) {
  const FaceRound& face = rounds_.at(step);
  T* fetched = panels_[step % panels_.size()].data();
  pieces_.clear();
  std::int64_t column = 0;
  for (int share = 0; share < sharers_.size(); ++share) {
    const std::int64_t columns = face.columns[as_size(share)];
    const std::int64_t begin = offset(share, rounds_.by_step[step]);
    const std::span<std::byte> direct = window_.direct(share);
    const T* piece = fetched;
    if (face.rows * columns == 0) {
      piece = nullptr;
    } else if (direct.empty()) {
      const std::span<T> place(fetched, static_cast<std::size_t>(face.rows * columns));
      window_.get(std::as_writable_bytes(place), share,
                  static_cast<std::size_t>(begin) * sizeof(T));
      fetched += place.size();
      in_flight_ = true;
    } else {
      piece = reinterpret_cast<const T*>(direct.data()) + begin;
    }
    pieces_.push_back({column, dense(piece, face.rows, columns)});
    column += columns;
  }
}

template <MatrixElement T>
bool FaceFetch<T>::progress() {
  if (in_flight_) in_flight_ = !window_.test();
  return in_flight_;
}

template <MatrixElement T>
std::span<const FacePiece<T>> FaceFetch<T>::finish() {
  if (in_flight_) window_.flush();
  in_flight_ = false;
  return pieces_;
}

namespace {

std::int64_t largest_of(const std::vector<FaceRound>& tiles) {
  std::int64_t largest = 0;
  for (const FaceRound& tile : tiles) largest = std::max(largest, tile.rows * tile.all_columns());
  return largest;
}

}  // namespace

template <MatrixElement T>
FaceSum<T>::FaceSum(std::vector<SplitStage> stages, std::size_t share, std::vector<FaceRound> tiles)
    : stages_(std::move(stages)),
      share_(share),
      tiles_(std::move(tiles)),
      memory_(largest_of(tiles_), "a layer's sums of C") {
  for (const FaceRound& tile : tiles_) {
    std::optional<Plans> pieces = equal_pieces(tile);
    plans_.push_back(pieces ? std::move(*pieces) : plans_for(tile));
  }
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
std::optional<typename FaceSum<T>::Plans> FaceSum<T>::equal_pieces(const FaceRound& tile) const {
  const std::int64_t ranks = std::ssize(tile.columns);
  if (stages_.size() != 1 || tile.rows == 0) return std::nullopt;
  const SplitStage& stage = stages_.front();
  const std::int64_t elements = tile.rows * tile.all_columns();
  const auto piece_begin = [&](std::int64_t part) { return part_begin(elements, part, ranks); };
  const auto share_begin = [&](std::int64_t part) {
    return tile.rows * tile.columns_of(0, static_cast<std::size_t>(part));
  };
  // What a share lacks must be in the piece of the rank before.
  for (std::int64_t part = 1; part < ranks; ++part) {
    if (share_begin(part) > piece_begin(part) || share_begin(part) < piece_begin(part - 1))
      return std::nullopt;
  }
  std::vector<std::size_t> counts;
  for (std::int64_t part = 0; part < ranks; ++part) {
    counts.push_back(static_cast<std::size_t>(piece_begin(part + 1) - piece_begin(part)));
  }
  T* const face = memory_.data();
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    return Buffer(face + begin, static_cast<std::size_t>(end - begin), datatype_of<T>());
  };
  const int part = stage.part;
  Plans plans;
  plans.sums.push_back(plan_reduce_scatterv(stage.ranks, range(0, elements),
                                            range(piece_begin(part), piece_begin(part + 1)), counts,
                                            Reduction::Kind::sum));
  const Buffer lacking = range(share_begin(part), piece_begin(part));
  const Buffer passed_on = range(share_begin(part + 1), piece_begin(part + 1));
  if (lacking.count > 0) plans.passing.push_back(plan_receive(stage.ranks, lacking, part - 1));
  if (passed_on.count > 0) plans.passing.push_back(plan_send(stage.ranks, passed_on, part + 1));
  return plans;
}

template <MatrixElement T>
LocalView<T> FaceSum<T>::contribution(std::size_t tile) const {
  return dense(memory_.data(), tiles_[tile].rows, tiles_[tile].all_columns());
}

template <MatrixElement T>
LocalView<const T> FaceSum<T>::sum(std::size_t tile) {
  Plans& plans = plans_[tile];
  for (CollectivePlan& plan : plans.sums) plan.run();
  std::array<Request, 2> passing;
  for (std::size_t one = 0; one < plans.passing.size(); ++one)
    passing[one] = plans.passing[one].start();
  for (Request& one : passing) one.wait();
  const FaceRound& face = tiles_[tile];
  return contribution(tile).block(0, face.columns_of(0, share_), face.rows, face.columns[share_]);
}

template class FaceGather<float>;
template class FaceGather<double>;
template class FaceGather<std::complex<float>>;
template class FaceGather<std::complex<double>>;
template class FaceFetch<float>;
template class FaceFetch<double>;
template class FaceFetch<std::complex<float>>;
template class FaceFetch<std::complex<double>>;
template class FaceSum<float>;
template class FaceSum<double>;
template class FaceSum<std::complex<float>>;
template class FaceSum<std::complex<double>>;

}  // namespace cuboid::detail
