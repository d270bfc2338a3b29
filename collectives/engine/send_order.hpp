#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Lets only a limited number of a schedule's sends to one rank go at a time. Of the sends that
/// wait, the one that was compiled first goes next; it belongs to the earliest segment. So trees
/// that share a cable stay abreast. Otherwise a leaf, which can send all its data from the start,
/// would go before ranks that still gather data that others wait for. A send that comes before all
/// sends under way never waits, so no ranks wait for each other in a circle.
class SendOrder {
 public:
  explicit SendOrder(const Schedule& schedule);

  /// False if all sends go at once: then admit() and ended() need not be called.
  bool limits() const { return !peer_of_.empty(); }
  /// Says that a send is ready. Returns true if it may go now; otherwise ended() returns it later.
  bool admit(StepId step);
  /// Says that a send is complete. Returns the send that goes in its place, if any waits.
  std::optional<StepId> ended(StepId step);
  /// Forgets all sends that went and all that wait.
  void clear();

 private:
  struct ReceiverQueue {
    std::vector<StepId> under_way;
    std::vector<StepId> waiting;  // a heap, the earliest send on top
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  ReceiverQueue* peer_of(StepId step);

  std::size_t at_a_time_;
  // The receiver of each step, as an index of peers_; empty if there is no limit.
  std::vector<std::size_t> peer_of_;
  std::vector<ReceiverQueue> peers_;
};

}  // namespace cuboid::detail
