#pragma once

#include "collectives/algorithms/algorithm.hpp"

#include <functional>
#include <span>

namespace cuboid::detail {

/// A message of a round.
struct RoundMessage {
  int sender = 0;
  int receiver = 0;
};

/// α + o·(k − 1) + β·b·n, all of these messages of b bytes being sent at once, k by the busiest
/// rank and n over the busiest link: along the routes of the network's shape, or where that is not
/// known, out of or into a node. A group on one node shares no links: n is 1.
double round_seconds(const Call& call, double bytes, std::span<const RoundMessage> messages);

/// The same where every rank sends one message, to the rank that `receiver` names.
double round_seconds(const Call& call, double bytes, const std::function<int(int)>& receiver);

}  // namespace cuboid::detail
