#pragma once

#include "collectives/evaluation/call.hpp"

#include <span>

namespace cuboid::detail {

/// The load of a round on its busiest rank and its busiest link.
struct RoundLoad {
  double times = 1;     ///< the number of such rounds, one after the other
  double links = 1;     ///< links that the farthest message crosses; 0: no message leaves its node
  double messages = 0;  ///< messages that a rank sends or receives
  double longest = 0;   ///< bytes that cross a link once the last message has left
  double received = 0;  ///< bytes that a rank takes in from other nodes
  double on_link = 0;   ///< bytes over the busiest link, scaled to the slowest rate
  double copied = 0;    ///< bytes that a rank copies: within its node, to pack, or to combine
};

/// Seconds until the first byte of a round's farthest message has arrived.
double latency(const GroupCostModel& cost_model, const RoundLoad& load);

/// The seconds of a round after its latency: messages leave one after the other, and each travels
/// while the next one leaves.
double under_way(const Call& call, const RoundLoad& load);

/// The seconds of rounds if each begins when the round before has ended.
double seconds_in_lockstep(const Call& call, std::span<const RoundLoad> loads);

}  // namespace cuboid::detail
