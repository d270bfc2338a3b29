#pragma once

#include "collectives/schedules/schedule.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Lets only so many of a schedule's sends to one rank go at a time, and of those that wait, the
/// one that was compiled first, which belongs to the earliest segment. Trees that share a cable so
/// stay abreast: otherwise a leaf, which has all it sends from the start, would go before those who
/// still gather what others wait for. A send that comes before all that are under way never waits:
/// so no rank waits for another in a circle.
class SendOrder {
 public:
  explicit SendOrder(const Schedule& schedule);

  /// A send is ready. Whether it may go now; otherwise ended() returns it some time.
  bool admit(StepId step);
  /// A send that went is complete. The one that goes in its place, if any waits.
  std::optional<StepId> ended(StepId step);
  /// Forgets all that went and all that wait.
  void clear();

 private:
  struct ReceiverQueue {
    std::vector<StepId> under_way;
    std::vector<StepId> waiting;  // a heap, the earliest first
  };
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  ReceiverQueue* peer_of(StepId step);

  std::size_t at_a_time_;
  std::vector<std::size_t> peer_of_;  // by step; empty where all may go
  std::vector<ReceiverQueue> peers_;
};

}  // namespace cuboid::detail
