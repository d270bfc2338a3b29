#pragma once

#include <cuboid/request.hpp>

#include "mm/drivers/bricks/brick_schedule.hpp"
#include "mm/drivers/bricks/face_exchange.hpp"
#include "mm/drivers/bricks/split_stages.hpp"
#include "mm/local/panel_place.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The two-sided exchange. The splits along the axis that shares the face are gone through from the
/// first to the last. At each split the split's ranks make an all-gather into dense panels. With
/// one split this is COSMA's exchange (Kwasniewski et al. 2019, §7.2). With many splits it is
/// CARMA's exchange, in which the part that a rank holds grows from split to split.
template <MatrixElement T>
class FaceGather : public FaceExchange<T> {
 public:
  /// @param share   this rank's share.
  /// @param rounds  the rounds that travel; with several steps there are two panels.
  /// @param place   where this rank keeps the panels.
  /// Does not communicate. Throws Error(out_of_memory).
  FaceGather(std::vector<SplitStage> stages, std::size_t share, FaceRounds rounds,
             const PanelPlace& place);

  LocalView<T> own(std::size_t step) const override;
  bool takes_all_rounds_first() const override { return false; }
  void open() override {}
  void close() override {}
  void start(std::size_t step) override;
  bool progress() override;
  std::span<const FacePiece<T>> finish() override;

 private:
  void start_stage();
  LocalView<T> panel(std::size_t step) const;

  std::vector<SplitStage> stages_;
  std::size_t share_;
  FaceRounds rounds_;
  std::vector<PanelMemory<T>> panels_;
  std::vector<std::size_t> plan_of_step_;           // one for each round in each panel
  std::vector<std::vector<CollectivePlan>> plans_;  // by stage
  std::size_t step_ = 0;
  std::size_t stage_ = 0;
  std::optional<Request> request_;
  FacePiece<T> piece_;
};

}  // namespace cuboid::detail
