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

StageBlocks blocks_of(const SplitStage& stage, int share, const FaceRound& round) {
  const std::size_t parts = as_size(stage.ranks.size());
  const std::size_t group = stage.shares * parts;
  const std::size_t first = as_size(share) / group * group;
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

std::int64_t FaceRound::columns_of(std::size_t first, std::size_t count) const {
  const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), std::int64_t{0});
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
FaceGather<T>::FaceGather(std::vector<SplitStage> stages, int share, std::vector<FaceRound> rounds)
    : stages_(std::move(stages)), share_(share), rounds_(std::move(rounds)) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_)
    largest = std::max(largest, round.rows * round.all_columns());
  const std::size_t copies = rounds_.size() > 1 ? 2 : 1;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    panels_.emplace_back(largest, "a panel of a brick's face");
  }
  for (const SplitStage& stage : stages_) {
    plans_.emplace_back();
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      const StageBlocks blocks = blocks_of(stage, share_, rounds_[round]);
      T* const begin = panel(round).data + blocks.begin;
      const std::size_t own = blocks.counts[as_size(stage.part)];
      plans_.back().push_back(plan_allgatherv(
          stage.ranks, ConstBuffer(begin + blocks.own_offset, own, datatype_of<T>()),
          Buffer(begin, blocks.all(), datatype_of<T>()), blocks.counts));
    }
  }
}

template <MatrixElement T>
LocalView<T> FaceGather<T>::panel(std::size_t round) const {
  return dense(panels_[round % panels_.size()].data(), rounds_[round].rows,
               rounds_[round].all_columns());
}

template <MatrixElement T>
LocalView<T> FaceGather<T>::own(std::size_t round) const {
  const FaceRound& face = rounds_[round];
  return panel(round).block(0, face.columns_of(0, as_size(share_)), face.rows,
                            face.columns[as_size(share_)]);
}

template <MatrixElement T>
void FaceGather<T>::start(std::size_t round) {
  round_ = round;
  stage_ = 0;
  start_stage();
}

template <MatrixElement T>
void FaceGather<T>::start_stage() {
  if (stage_ == stages_.size()) {
    request_.reset();
  } else {
    request_ = plans_[stage_][round_].start();
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
  piece_ = {0, panel(round_)};
  return {&piece_, 1};
}

template <MatrixElement T>
FaceFetch<T>::FaceFetch(const Communicator& sharers, std::vector<FaceRound> rounds)
    : sharers_(sharers),
      rounds_(std::move(rounds)),
      window_(sharers, checked_bytes(offset(sharers.rank(), rounds_.size()), sizeof(T),
                                     "a share of a brick's face")) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_) {
    std::int64_t fetched = 0;
    for (int share = 0; share < sharers.size(); ++share) {
      if (window_.direct(share).empty()) fetched += round.rows * round.columns[as_size(share)];
    }
    largest = std::max(largest, fetched);
  }
  const std::size_t copies = rounds_.size() > 1 ? 2 : 1;
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
    elements += rounds_[earlier].rows * rounds_[earlier].columns[as_size(share)];
  }
  return elements;
}

template <MatrixElement T>
LocalView<T> FaceFetch<T>::own(std::size_t round) const {
  const int share = sharers_.rank();
  // A window's memory begins at a page.
  T* const memory = reinterpret_cast<T*>(window_.local().data());
  return dense(memory + offset(share, round), rounds_[round].rows,
               rounds_[round].columns[as_size(share)]);
}

template <MatrixElement T>
void FaceFetch<T>::start(std::size_t round) {
  const FaceRound& face = rounds_[round];
  T* fetched = panels_[round % panels_.size()].data();
  pieces_.clear();
  std::int64_t column = 0;
  for (int share = 0; share < sharers_.size(); ++share) {
    const std::int64_t columns = face.columns[as_size(share)];
    const std::int64_t begin = offset(share, round);
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

template <MatrixElement T>
FaceSum<T>::FaceSum(std::vector<SplitStage> stages, int share, FaceRound face)
    : stages_(std::move(stages)),
      share_(share),
      face_(std::move(face)),
      memory_(face_.rows * face_.all_columns(), "a layer's sums of C") {
  if (plan_equal_pieces()) return;
  std::reverse(stages_.begin(), stages_.end());
  for (const SplitStage& stage : stages_) {
    const StageBlocks blocks = blocks_of(stage, share_, face_);
    T* const begin = memory_.data() + blocks.begin;
    plans_.push_back(plan_reduce_scatterv(
        stage.ranks, ConstBuffer(begin, blocks.all(), datatype_of<T>()),
        Buffer(begin + blocks.own_offset, blocks.counts[as_size(stage.part)], datatype_of<T>()),
        blocks.counts, Reduction::Kind::sum));
  }
}

template <MatrixElement T>
bool FaceSum<T>::plan_equal_pieces() {
  const std::int64_t ranks = std::ssize(face_.columns);
  // A share must not need more than the rank before it has of the face.
  if (stages_.size() != 1 || face_.rows == 0 || face_.all_columns() < ranks) return false;
  const SplitStage& stage = stages_.front();
  const std::int64_t elements = face_.rows * face_.all_columns();
  const auto piece_begin = [&](std::int64_t part) { return part_begin(elements, part, ranks); };
  const auto share_begin = [&](std::int64_t part) {
    return face_.rows * face_.columns_of(0, static_cast<std::size_t>(part));
  };
  std::vector<std::size_t> counts;
  for (std::int64_t part = 0; part < ranks; ++part) {
    counts.push_back(static_cast<std::size_t>(piece_begin(part + 1) - piece_begin(part)));
  }
  T* const face = memory_.data();
  const auto range = [&](std::int64_t begin, std::int64_t end) {
    return Buffer(face + begin, static_cast<std::size_t>(end - begin), datatype_of<T>());
  };
  const int part = stage.part;
  plans_.push_back(plan_reduce_scatterv(stage.ranks, range(0, elements),
                                        range(piece_begin(part), piece_begin(part + 1)), counts,
                                        Reduction::Kind::sum));
  // Slices never begin later than pieces of the same number.
  const Buffer lacking = range(share_begin(part), piece_begin(part));
  const Buffer passed_on = range(share_begin(part + 1), piece_begin(part + 1));
  if (lacking.count > 0) passing_.push_back(plan_receive(stage.ranks, lacking, part - 1));
  if (passed_on.count > 0) passing_.push_back(plan_send(stage.ranks, passed_on, part + 1));
  return true;
}

template <MatrixElement T>
LocalView<T> FaceSum<T>::contribution() const {
  return dense(memory_.data(), face_.rows, face_.all_columns());
}

template <MatrixElement T>
LocalView<const T> FaceSum<T>::sum() {
  for (CollectivePlan& plan : plans_) plan.run();
  std::array<Request, 2> passing;
  for (std::size_t one = 0; one < passing_.size(); ++one) passing[one] = passing_[one].start();
  for (Request& one : passing) one.wait();
  return contribution().block(0, face_.columns_of(0, as_size(share_)), face_.rows,
                              face_.columns[as_size(share_)]);
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
