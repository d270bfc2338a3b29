#pragma once

#include "collectives/schedules/conditions.hpp"

#include <vector>

namespace cuboid::detail {

/// One message of a round: the sender's current copy (or partial result) of some blocks goes to the
/// receiver.
struct Exchange {
  int sender = 0;
  int receiver = 0;
  std::vector<int> blocks =
      {};                ///< in ascending order; empty: a message without content, as in a barrier
  bool combine = false;  ///< combined with what the receiver has, the lower rank's on the left;
                         ///< else it replaces it
};

/// A collective for short messages: few rounds, in each of which a rank sends what it had at the
/// round's start.
struct Rounds {
  int ranks = 1;
  std::vector<std::vector<Exchange>> rounds = {};
  /// The blocks of an exchange travel in one message wherever they lie: packed by the sender, left
  /// by the receiver where they arrived.
  bool packed = false;
};

}  // namespace cuboid::detail
