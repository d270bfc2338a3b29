#include "mm/drivers/bricks/face_gather.hpp"

#include <cuboid/collectives.hpp>

#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_views.hpp"
#include "mm/matrix/ranks.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <utility>

namespace cuboid::detail {

template <MatrixElement T>
FaceGather<T>::FaceGather(std::vector<SplitStage> stages, std::size_t share, FaceRounds rounds,
                          const PanelPlace& place)
    : stages_(std::move(stages)), share_(share), rounds_(std::move(rounds)) {
  std::int64_t largest = 0;
  for (const FaceRound& round : rounds_.rounds)
    largest = std::max(largest, round.rows * round.all_columns());
  const std::size_t copies = rounds_.by_step.size() > 1 ? 2 : 1;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    panels_.push_back(place.memory<T>(largest, "a panel of a brick's face"));
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
  return dense_view(panels_[step % panels_.size()].data(), rounds_.at(step).rows,
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

CUBOID_CLASS_FOR_ELEMENT_TYPES(FaceGather);

}  // namespace cuboid::detail
