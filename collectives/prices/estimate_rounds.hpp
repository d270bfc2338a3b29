#pragma once

#include "collectives/prices/call.hpp"
#include "collectives/prices/cost_estimate.hpp"

namespace cuboid::detail {

/// Rounds, each of which begins with what the one before brought.
struct RoundsSteps {
  double rounds = 0;
  double bytes = 0;       ///< that a rank receives in all of them, on average
  double combined = 0;    ///< of these, how many it combines
  double messages = 1;    ///< that a rank sends in each
  double copied = 0;      ///< bytes that a rank copies within its own memory
  double scratch = 0;     ///< bytes of its own that are neither input nor output
  double path_bytes = 0;  ///< received one after the other, by several ranks maybe, where more
  bool packed = false;    ///< it copies what it sends, each time before it does
};

/// A message as it is: in `seconds` over a network, in rounds within a node.
CostEstimate estimate_rounds(const Call& call, double seconds, const RoundsSteps& in_node);

}  // namespace cuboid::detail
