#pragma once

#include "collectives/schedules/block_set.hpp"

#include <vector>

namespace cuboid::detail {

/// The contributions that a rank has at the end of a scan: those of all ranks up to and with itself
/// (inclusive), or those of the ranks below it (exclusive).
enum class Prefix { inclusive, exclusive };

/// One message of a round: the sender's current copy (or partial result) of some blocks.
struct Exchange {
  int sender = 0;
  int receiver = 0;
  BlockSet blocks = {};  ///< in ascending order or, in packed rounds, as they lie in the message;
                         ///< empty: an empty message, as in a barrier
  bool combine = false;  ///< True: the receiver combines it with what it has, the lower rank's on
                         ///< the left. False: it replaces what the receiver has.
  bool operator==(const Exchange&) const = default;
};

/// A collective for short messages: a few rounds, in each of which a rank sends what it had at the
/// beginning of the round.
struct Rounds {
  int ranks = 1;
  std::vector<std::vector<Exchange>> rounds = {};
  /// The blocks of an exchange travel in one message, wherever they lie. The sender packs them, and
  /// the receiver unpacks them.
  bool packed = false;
  /// A rank sends in a round once it has received everything of the last round in which it
  /// receives. Otherwise long messages of a later round might delay messages that other ranks still
  /// wait for.
  bool lockstep = false;
  /// With lockstep: a rank waits for all earlier rounds, not only for the last. Needed where ranks
  /// do not receive in every round, as some of them might run ahead.
  bool after_all = false;
};

}  // namespace cuboid::detail
