#pragma once

#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/mm/aligned_memory.hpp>
#include <cuboid/mm/brick_grid.hpp>
#include <cuboid/mm/element.hpp>
#include <cuboid/mm/local_view.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuboid {

/// One communicator per split of a grid: the ranks that differ from this one in the part of that
/// split alone, numbered by part; invalid on ranks outside the grid. Collective over
/// `communicator`.
std::vector<Communicator> split_communicators(const Communicator& communicator,
                                              const BrickGrid& grid);

/// What of a face travels in one round: whole columns of `rows` elements, so many of each slice.
struct FaceRound {
  std::int64_t rows = 0;
  std::vector<std::int64_t> columns;  ///< by slice

  /// Columns of the slices first … first + count - 1.
  std::int64_t columns_of(std::size_t first, std::size_t count) const;
  std::int64_t all_columns() const { return columns_of(0, columns.size()); }
};

/// Where a rank stands in the exchange at one split: which of its parts it is, and how many slices
/// each rank holds before.
struct SplitStage {
  Communicator ranks;
  int part = 0;
  std::size_t slices = 1;
};

/// The stages at the splits along an axis, first split first.
std::vector<SplitStage> stages_across(const BrickGrid& grid, int rank, WorkAxis across,
                                      const std::vector<Communicator>& communicators);

/// Brings the slices of a face of this rank's brick together, round by round, in dense column-major
/// panels: at each split along the axis that shares the face, first to last, an all-gather among
/// the split's ranks. With one split that is COSMA's exchange (000 §7.2), with many CARMA's, where
/// what a rank holds grows from split to split. Memory and plans are made once; a round allocates
/// nothing.
template <MatrixElement T>
class FaceGather {
 public:
  /// @param slice   this rank's.
  /// @param rounds  what travels in each; there are two panels where there are several.
  /// Does not communicate. Throws Error(out_of_memory); the plans are made by plan().
  FaceGather(std::vector<SplitStage> stages, int slice, std::vector<FaceRound> rounds);

  /// Makes the collectives ready. Every rank of the stages does.
  void plan();

  /// Where this rank's slice of a round goes before start(): rows × its columns.
  LocalView<T> own(std::size_t round) const;
  /// Begins a round; the one before must be finished. Collective over the stages' ranks.
  void start(std::size_t round);
  /// Lets the round on its way make progress; false when there is none.
  bool progress();
  /// Waits for the round; its panel stays valid until the round after the next is started.
  LocalView<const T> finish();

 private:
  void start_stage();

  struct Stage {
    std::vector<CollectivePlan> plans;  // by round
  };

  LocalView<T> panel(std::size_t round) const;

  std::vector<SplitStage> stages_;
  int slice_;
  std::vector<FaceRound> rounds_;
  std::vector<AlignedArray<T>> panels_;
  std::vector<Stage> plans_;  // by stage
  std::size_t round_ = 0;
  std::size_t stage_ = 0;
  std::optional<Request> request_;
};

/// Sums the contributions of the ranks that share C's face of their bricks and leaves each its
/// slice: the way back of FaceGather, a reduce-scatter at each split, last to first.
template <MatrixElement T>
class FaceSum {
 public:
  /// @param face  the whole face, its slices one behind the other.
  /// Throws Error(out_of_memory); the plans are made by plan().
  FaceSum(std::vector<SplitStage> stages, int slice, FaceRound face);
  void plan();

  /// Where this rank's contribution goes before sum().
  LocalView<T> contribution() const;
  /// Sums; returns this rank's slice, in the contribution's memory. Collective.
  LocalView<const T> sum();

 private:
  std::vector<SplitStage> stages_;
  int slice_;
  FaceRound face_;
  AlignedArray<T> memory_;
  std::vector<CollectivePlan> plans_;  // by stage, last first
};

}  // namespace cuboid
