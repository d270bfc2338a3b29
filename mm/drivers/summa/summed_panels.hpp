#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/matrix.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/drivers/summa/panel_plans.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The way in which C is cut into panels: panels of columns or panels of rows.
enum class PanelsOfC { columns, rows };

/// The target of a rank's product in a step: to ← product + beta · to.
template <MatrixElement T>
struct ProductTarget {
  LocalView<T> to;
  T beta;
};

/// Panels of C to which all ranks of a line contribute products. The line sums the products, and
/// each rank receives the sums of its own part. There are two buffers: the next panel is multiplied
/// while one panel is summed. A panel that a single rank stores as one run is multiplied in place.
template <MatrixElement T>
class SummedPanels {
 public:
  /// @param owners   tells which rank of the line stores which rows or columns of C; each rank
  ///                 stores one run.
  /// @param vectors  C's extent along the panels on this rank; the same on all ranks of the line.
  /// The constructor plans the sums, but does not communicate. Throws Error(out_of_memory).
  SummedPanels(const Communicator& line, PanelsOfC cut, const BlockCyclic<Inner>& owners,
               std::int64_t vectors, std::span<const PanelRanges> panels);

  /// The target of a step's product, valid until the step's start(). Steps come in order.
  ProductTarget<T> target(std::int64_t step, T beta, LocalView<T> C);
  /// Starts to sum the products of a step; at most two steps are in flight. Collective over the
  /// line.
  void start(std::int64_t step);
  /// Progresses the sums in flight; true while there are some.
  bool progress();
  /// Waits for the sums of a step and adds them to this rank's part of C.
  void finish(std::int64_t step, T beta, LocalView<T> C);

 private:
  /// One step.
  struct Summing {
    std::vector<std::int64_t> shares;  ///< the ranks' shares of the panel, by rank of the line
    std::vector<PanelPiece> own;
    std::size_t plan = 0;
    bool in_place = false;

    std::int64_t width() const;
  };
  struct SummedSlot {
    AlignedArray<T> products;  ///< the products, in order of the ranks that receive their sums
    AlignedArray<T> sums;      ///< the sums of this rank's part
    Request request;
  };

  std::size_t planned(std::size_t slot, const std::vector<std::int64_t>& shares);
  void pack(const Summing& summing, SummedSlot& slot);
  SummedSlot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % 2]; }
  const Summing& summing_of(std::int64_t step) const {
    return summings_[static_cast<std::size_t>(step)];
  }
  bool sums() const { return line_.size() > 1 && vectors_ > 0; }
  /// A view of a part of C, with C's orientation.
  LocalView<T> view(T* data, std::int64_t width) const;
  LocalView<T> part_of(LocalView<T> C, std::int64_t begin, std::int64_t width) const;

  Communicator line_;
  PanelsOfC cut_;
  std::int64_t vectors_;
  AlignedArray<T> rows_;  // the product of a step if C is cut into rows
  std::array<SummedSlot, 2> slots_;
  PanelPlans plans_;
  std::vector<Summing> summings_;  // by step
};

}  // namespace cuboid::detail
