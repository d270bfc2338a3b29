#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>
#include <cuboid/window.hpp>

#include "mm/bricks/brick_schedule.hpp"
#include "mm/decompositions/brick_grid.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// One communicator per split of a grid: the ranks that differ from this one only in the part of
/// that split, numbered by part; invalid on ranks outside the grid. Collective over `communicator`.
std::vector<Communicator> split_communicators(const Communicator& communicator,
                                              const BrickGrid& grid);

/// Where a rank stands in the exchange at one split: which of its parts it is, and how many shares
/// each rank holds before.
struct SplitStage {
  Communicator ranks;
  int part = 0;
  std::size_t shares = 1;
};

/// The stages at the splits along an axis, first split first.
std::vector<SplitStage> stages_across(const BrickGrid& grid, int rank, WorkAxis across,
                                      const std::vector<Communicator>& communicators);

/// Some neighbouring columns of a face in one step, in one piece of memory.
template <class T>
struct FacePiece {
  std::int64_t first_column = 0;  ///< in the step
  LocalView<const T> columns;
};

/// Assembles the face of this rank's brick from its shares, step by step. Memory and plans are made
/// once; a step allocates nothing.
template <MatrixElement T>
class FaceExchange {
 public:
  virtual ~FaceExchange() = default;

  /// Where this rank's share goes that travels in a step: rows × its columns.
  virtual LocalView<T> own(std::size_t step) const = 0;
  /// Whether own() of every round must be filled before open(), or each just before its start().
  virtual bool takes_all_rounds_first() const = 0;
  /// Before the first step of a run, and after the last. Collective over the ranks that share the
  /// face.
  virtual void open() = 0;
  virtual void close() = 0;

  /// Begins a step; the one before must be finished.
  virtual void start(std::size_t step) = 0;
  /// Progresses the step in flight; returns false if there is none.
  virtual bool progress() = 0;
  /// Waits for the step. Its pieces, in order, are listed until the next step is started; the
  /// memory they show is valid for one step more.
  virtual std::span<const FacePiece<T>> finish() = 0;
};

/// The two-sided exchange: at each split along the axis that shares the face, first to last, an
/// all-gather among the split's ranks, into dense panels. With one split that is COSMA's exchange
/// (Kwasniewski et al. 2019, §7.2), with many CARMA's, where what a rank holds grows from split to
/// split.
template <MatrixElement T>
class FaceGather : public FaceExchange<T> {
 public:
  /// @param share   this rank's.
  /// @param rounds  what travels; there are two panels where there are several steps.
  /// Does not communicate. Throws Error(out_of_memory).
  FaceGather(std::vector<SplitStage> stages, std::size_t share, FaceRounds rounds);

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
  std::vector<AlignedArray<T>> panels_;
  std::vector<std::size_t> plan_of_step_;           // one for each round in each panel
  std::vector<std::vector<CollectivePlan>> plans_;  // by stage
  std::size_t step_ = 0;
  std::size_t stage_ = 0;
  std::optional<Request> request_;
  FacePiece<T> piece_;
};

/// The one-sided exchange (Kwasniewski et al. 2019, §7.4): every rank lays its share open in a
/// window, from which the others get what they lack, without its help. What a rank on the same node
/// has is not even copied where its memory can be read directly.
template <MatrixElement T>
class FaceFetch : public FaceExchange<T> {
 public:
  /// @param sharers  the ranks that share the face, numbered by share.
  /// Collective over them. Throws Error(out_of_memory) on all of them if a rank lacks memory.
  FaceFetch(const Communicator& sharers, FaceRounds rounds);

  LocalView<T> own(std::size_t step) const override;
  bool takes_all_rounds_first() const override { return true; }
  void open() override { window_.fence(); }
  void close() override { window_.fence(); }
  void start(std::size_t step) override;
  bool progress() override;
  std::span<const FacePiece<T>> finish() override;

 private:
  /// Where a rank's share of a round begins in its window, in elements.
  std::int64_t offset(int share, std::size_t round) const;

  Communicator sharers_;
  FaceRounds rounds_;
  std::vector<AlignedArray<T>> panels_;  // none where all shares can be read directly
  Window window_;                        // ends first: what it gets goes there
  bool in_flight_ = false;
  std::vector<FacePiece<T>> pieces_;
};

/// Sums the contributions of the ranks that share C's face of their bricks and gives each its
/// share, tile by tile: the reverse of FaceGather, a reduce-scatter at each split, last to first.
///
/// Slices are whole columns, so with many ranks some shares are much larger than others. With a
/// single split, pieces of equally many elements are summed instead; each rank then passes on the
/// part of a share, less than a column, that belongs to its neighbour.
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
    std::vector<CollectivePlan> passing;  // then, to and from the ranks beside this one
  };
  Plans plans_for(const FaceRound& tile) const;
  /// Plans to sum equal pieces, if shares are long enough.
  std::optional<Plans> equal_pieces(const FaceRound& tile) const;

  std::vector<SplitStage> stages_;
  std::size_t share_;
  std::vector<FaceRound> tiles_;
  AlignedArray<T> memory_;
  std::vector<Plans> plans_;  // by tile
};

}  // namespace cuboid::detail
