#pragma once

#include <cuboid/communicator.hpp>

#include "mm/decompositions/delivery.hpp"
#include "mm/decompositions/panels.hpp"
#include "mm/drivers/summa/tall_operand.hpp"
#include "mm/local/gemm_in_strips.hpp"
#include "mm/local/panel_place.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace cuboid::detail {

/// Seconds spent on the delivery of panels.
struct FeedSeconds {
  /// Packing, exchange and unpacking of operands whose layout does not fit.
  double redistribute = 0;
  double broadcast = 0;  ///< packing, start and wait of broadcasts
};

/// Delivers an operand's panels step by step. The feed has several buffers: the next panels are in
/// flight while one is multiplied.
template <MatrixElement T>
class PanelFeed {
 public:
  virtual ~PanelFeed() = default;

  /// Starts to bring the panel of a step, at most `ahead` steps after the last finished step. A
  /// panel that is redistributed has one range. Collective over the communicator if the feed
  /// redistributes, over the line if it broadcasts.
  virtual void start(std::int64_t step, std::span<const GlobalRange<Inner>> panel,
                     const TallOperand<T>& operand) = 0;
  /// Progresses the panels in flight.
  virtual void progress() = 0;
  /// True if the panel of a step may still be in flight.
  virtual bool in_flight() const = 0;
  /// Waits for the panel of a step. The panel stays valid until step + ahead + 1 is started.
  virtual Panel<T> finish(std::int64_t step) = 0;
  /// Waits until the messages in flight have arrived or failed. Afterwards nothing reads the
  /// operand, and the steps can begin again.
  virtual void abandon() noexcept = 0;

  /// The seconds since the last call.
  FeedSeconds take_seconds() { return std::exchange(seconds_, {}); }

 protected:
  FeedSeconds seconds_;
};

/// A feed for operands of one layout, for repeated use.
/// @param delivery  the result of choose_delivery().
/// @param line      the ranks of this rank's row of the tall grid, by grid column; invalid outside
///                  the grid.
/// @param here      this rank's position on the tall grid.
/// @param panels    all panels.
/// @param place     where this rank keeps panels, and has its part of the operand.
/// @param ahead     the number of panels that may be in flight besides the one in use; at least 1.
/// The constructor plans broadcasts, but does not communicate. Throws Error(out_of_memory) if the
/// panels do not fit into memory.
template <MatrixElement T>
std::unique_ptr<PanelFeed<T>> make_panel_feed(Delivery delivery, const Layout& tall_layout,
                                              const PanelTarget& target, const Communicator& line,
                                              std::optional<GridPosition> here,
                                              std::span<const PanelRanges> panels,
                                              const PanelPlace& place, int ahead = 1);

}  // namespace cuboid::detail
