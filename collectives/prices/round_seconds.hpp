#pragma once

#include "collectives/prices/call.hpp"

#include <functional>

namespace cuboid::detail {

/// A message of a round.
struct RoundMessage {
  int sender = 0;
  int receiver = 0;
};

/// Messages that are all sent at once, by number.
struct RoundMessages {
  int count = 0;
  std::function<RoundMessage(int number)> message;
  int of_a_rank = 1;  ///< as many as the busiest rank sends
  /// How much more the busiest link of a large network carries than the mean one of its direction:
  /// nothing where all ranks send equally far one way.
  double unevenness = 1;
};

/// α + h·(d − 1) + o·(k − 1) + β·b·n, all of these messages of b bytes being sent at once, the
/// farthest over d links, k by the busiest rank and n over the busiest link: along the routes of
/// the network's shape, or where that is not known, out of or into a node; and no less than the
/// nodes take to send them all. A group on one node shares no links: n is 1.
///
/// Of more than `most_followed` messages some are followed, and n is that of the mean link of the
/// busiest axis and direction, times their unevenness.
double round_seconds(const Call& call, double bytes, const RoundMessages& messages);

/// The same where every rank sends one message, to the one so many ranks above it.
double shift_seconds(const Call& call, double bytes, int distance);

/// n and d of the above; d is 1 where no shape is known.
struct RoundLoad {
  double on_link = 1;
  double farthest = 1;
};
RoundLoad round_load(const Call& call, const RoundMessages& messages);

constexpr int most_followed = 2048;

}  // namespace cuboid::detail
