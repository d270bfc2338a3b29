#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/summa/panel_plans.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// Whether panels of C are some of its columns or some of its rows.
enum class PanelsOfC { columns, rows };

/// Where a rank's product of a step goes: to ← product + beta · to.
template <MatrixElement T>
struct ProductTarget {
  LocalView<T> to;
  T beta;
};

/// Panels of C to which all ranks of a line have something to add: summed by the line, each rank
/// getting the sums of its own part. Two have memory: while one is summed, the next is multiplied.
/// A panel that one rank has in one run is multiplied where it is.
template <MatrixElement T>
class SummedPanels {
 public:
  /// @param owners   who has which rows or columns of C, by rank of the line, each in one run.
  /// @param vectors  C's extent along the panels on this rank; the same on all ranks of the line.
  /// Plans sums, but does not communicate. Throws Error(out_of_memory).
  SummedPanels(const Communicator& line, PanelsOfC cut, const BlockCyclic<Inner>& owners,
               std::int64_t vectors, std::span<const PanelRanges> panels);

  /// Where the product of a step goes; valid until the step's start(). Steps come in order.
  ProductTarget<T> target(std::int64_t step, T beta, LocalView<T> C);
  /// Begins to sum the products of a step, two at most at once. Collective over the line.
  void start(std::int64_t step);
  /// Lets sums make progress, and says whether some are in flight.
  bool progress();
  /// Waits for the sums of a step and adds them to C's part.
  void finish(std::int64_t step, T beta, LocalView<T> C);

 private:
  /// Of a step.
  struct Summing {
    std::vector<std::int64_t> shares;  ///< of the panel, by rank of the line
    std::vector<PanelPiece> own;
    std::size_t plan = 0;
    bool in_place = false;

    std::int64_t width() const;
  };
  struct Slot {
    AlignedArray<T> products;  ///< one rank's part after the other
    AlignedArray<T> sums;      ///< of this rank's part
    Request request;
  };

  std::size_t planned(std::size_t slot, const std::vector<std::int64_t>& shares);
  void pack(const Summing& summing, Slot& slot);
  Slot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % 2]; }
  const Summing& summing_of(std::int64_t step) const {
    return summings_[static_cast<std::size_t>(step)];
  }
  bool sums() const { return line_.size() > 1 && vectors_ > 0; }
  /// A part of C with rows and columns as C's are.
  LocalView<T> view(T* data, std::int64_t width) const;
  LocalView<T> part_of(LocalView<T> C, std::int64_t begin, std::int64_t width) const;

  Communicator line_;
  PanelsOfC cut_;
  std::int64_t vectors_;
  AlignedArray<T> rows_;  // the product of a step where C is cut by rows
  std::array<Slot, 2> slots_;
  PanelPlans plans_;
  std::vector<Summing> summings_;  // by step
};

}  // namespace cuboid::detail
