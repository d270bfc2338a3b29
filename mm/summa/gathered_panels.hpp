#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "mm/decompositions/panels.hpp"
#include "mm/gemm/gemm_in_strips.hpp"
#include "mm/matrix/aligned_memory.hpp"
#include "mm/summa/panel_plans.hpp"
#include "mm/summa/tall_operand.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuboid::detail {

/// An operand's panels, tall (see TallOperand), gathered by all ranks of a line from all of its
/// ranks. Two have memory: while one is multiplied with, the next is in flight. A panel that one
/// rank has in one run stays where it is.
template <MatrixElement T>
class GatheredPanels {
 public:
  /// @param owners   who has which columns of the operand, by rank of the line, each in one run.
  /// @param vectors  this rank's; as many as the other ranks of the line have.
  /// Plans all-gathers, but does not communicate. Throws Error(out_of_memory).
  GatheredPanels(const Communicator& line, const BlockCyclic<Inner>& owners, std::int64_t vectors,
                 std::span<const PanelRanges> panels);

  /// Begins to gather the panel of a step, at most one after the last finished. Collective over the
  /// line.
  void start(std::int64_t step, const TallOperand<T>& operand);
  /// Lets panels make progress, and says whether some are in flight.
  bool progress();
  /// Waits for the panel of a step, which stays valid until step + 2 is started.
  Panel<T> finish(std::int64_t step);

 private:
  /// Of a step: what this rank has of its panel, and how the rest comes.
  struct Gathering {
    std::vector<PanelPiece> own;
    std::int64_t begin = 0;  ///< the column of the panel where they go
    std::size_t plan = 0;
    bool in_place = false;
  };
  struct Slot {
    AlignedArray<T> memory;
    Request arrival;
    Panel<T> panel;
  };

  std::size_t planned(std::size_t slot, const std::vector<std::int64_t>& shares);
  Slot& slot_of(std::int64_t step) { return slots_[static_cast<std::size_t>(step) % 2]; }
  bool gathers() const { return line_.size() > 1 && vectors_ > 0; }

  Communicator line_;
  std::int64_t vectors_;
  std::array<Slot, 2> slots_;
  PanelPlans plans_;
  std::vector<Gathering> gatherings_;  // by step
};

}  // namespace cuboid::detail
