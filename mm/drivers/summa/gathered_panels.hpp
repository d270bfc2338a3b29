#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/drivers/summa/panel_plans.hpp"
#include "mm/drivers/summa/tall_operand.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// The panels of a tall operand (see TallOperand). All ranks of a line gather each panel from all
/// ranks of the line. There are two buffers: the next panel is in flight while one panel is
/// multiplied. A panel that a single rank stores as one run stays where it is.
template <MatrixElement T>
class GatheredPanels {
 public:
  /// @param owners   tells which rank of the line stores which columns of the operand; each rank
  ///                 stores one run.
  /// @param vectors  the number of vectors on this rank; equal on all ranks of the line.
  /// The constructor plans all-gathers, but does not communicate. Throws Error(out_of_memory).
  GatheredPanels(const Communicator& line, const BlockCyclic<Inner>& owners, std::int64_t vectors,
                 std::span<const PanelRanges> panels);

  /// Starts the gathering of a step's panel, at most one step after the last finished one.
  /// Collective over the line.
  void start(std::int64_t step, const TallOperand<T>& operand);
  /// Progresses the panels in flight; true while there are some.
  bool progress();
  /// Waits for the panel of a step. The panel stays valid until step + 2 is started.
  Panel<T> finish(std::int64_t step);

 private:
  /// One step: the part of its panel that this rank stores, and how the other parts arrive.
  struct Gathering {
    std::vector<PanelPiece> own;
    std::int64_t begin = 0;  ///< the panel's column where this rank's part goes
    std::size_t plan = 0;
    bool in_place = false;
  };
  struct GatheredSlot {
    AlignedArray<T> memory;
    Request arrival;
    Panel<T> panel;
  };

  std::size_t planned(std::size_t slot, const std::vector<std::int64_t>& shares);
  GatheredSlot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % 2]; }
  bool gathers() const { return line_.size() > 1 && vectors_ > 0; }

  Communicator line_;
  std::int64_t vectors_;
  std::array<GatheredSlot, 2> slots_;
  PanelPlans plans_;
  std::vector<Gathering> gatherings_;  // by step
};

}  // namespace cuboid::detail
