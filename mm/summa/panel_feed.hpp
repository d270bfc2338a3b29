#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/delivery.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/gemm/gemm_in_strips.hpp"
#include "mm/summa/tall_operand.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace cuboid::detail {

/// Seconds spent on delivering panels.
struct FeedSeconds {
  double redistribute = 0;  ///< packing, exchanging and unpacking what did not fit
  double broadcast = 0;     ///< packing, starting and waiting
};

/// Delivers an operand's panels step by step, cycling through several buffers: while one panel is
/// multiplied, the next ones are in flight.
template <MatrixElement T>
class PanelFeed {
 public:
  virtual ~PanelFeed() = default;

  /// Begins to bring the panel of a step (of one range where it redistributes); at most
  /// `ahead` steps after the last finished. Collective: over the communicator where it
  /// redistributes, over the line where it broadcasts.
  virtual void start(std::int64_t step, std::span<const GlobalRange<Inner>> panel,
                     const TallOperand<T>& operand) = 0;
  /// Progresses the panels in flight.
  virtual void progress() = 0;
  /// Whether the panel of a step may still be in flight.
  virtual bool in_flight() const = 0;
  /// Waits for the panel of a step, which stays valid until step + ahead + 1 is started.
  virtual Panel<T> finish(std::int64_t step) = 0;
  /// Waits for what is in flight, whether it arrives or fails: nothing reads the operand then, and
  /// all steps can begin anew.
  virtual void abandon() noexcept = 0;

  /// Since the last call.
  FeedSeconds take_seconds() { return std::exchange(seconds_, {}); }

 protected:
  FeedSeconds seconds_;
};

/// A feed for operands of one layout, for repeated use.
/// @param delivery  the result of choose_delivery().
/// @param line      the ranks of this rank's row of the tall grid, by grid column; invalid outside
/// the grid.
/// @param here      this rank's place on the tall grid.
/// @param panels    all panels.
/// @param ahead     how many may be in flight besides the one in use; at least 1.
/// Plans broadcasts, but does not communicate. Throws Error(out_of_memory) if there is no room
/// for the panels.
template <MatrixElement T>
std::unique_ptr<PanelFeed<T>> make_panel_feed(Delivery delivery, const Layout& tall_layout,
                                              const PanelTarget& target, const Communicator& line,
                                              std::optional<GridPosition> here,
                                              std::span<const PanelRanges> panels, int ahead = 1);

}  // namespace cuboid::detail
