#pragma once

#include "collectives/schedules/conditions.hpp"

#include <vector>

namespace cuboid::detail {

/// Whose contributions a rank has at the end of a scan: those of the ranks up to it, or below it.
enum class Prefix { inclusive, exclusive };

/// One message of a round: the sender's current copy (or partial result) of some blocks.
struct Exchange {
  int sender = 0;
  int receiver = 0;
  std::vector<int> blocks = {};  ///< ascending; empty: an empty message, as in a barrier
  bool combine = false;  ///< combined with what the receiver has, the lower rank's on the left;
                         ///< else it replaces it
  bool operator==(const Exchange&) const = default;
};

/// A collective for short messages: a few rounds. In each round a rank sends what it had at the
/// beginning of the round.
struct Rounds {
  int ranks = 1;
  std::vector<std::vector<Exchange>> rounds = {};
  /// The blocks of an exchange travel in one message wherever they lie: packed by the sender,
  /// unpacked by the receiver.
  bool packed = false;
  /// A rank sends in a round once it has received all of the round before: else long messages of a
  /// later round might delay those that others still wait for.
  bool lockstep = false;
  /// In step, and all of the rounds before that: for ranks that do not receive in every round, of
  /// which some might run ahead.
  bool after_all = false;
};

}  // namespace cuboid::detail
