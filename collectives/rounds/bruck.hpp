#pragma once

#include <cuboid/shape.hpp>

#include "collectives/rounds/distance_digits.hpp"
#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// How blocks of an all-to-all travel.
struct BruckDigits {
  int radix = 2;   ///< of the numbers along every axis, at most
  int orders = 1;  ///< of the axes, that blocks are shared among; as many as axes: all are in use
  int axes = 1;    ///< that blocks go along in one message, 2 at most: of those with one digit each
  bool operator==(const BruckDigits&) const = default;
};

/// All-to-all of equal blocks along the axes of a shape that numbers the ranks; along one axis that
/// of Bruck et al. (1997). Every rank numbers its blocks by how far they have to go (node_at()),
/// and along each axis writes these numbers in digits (NumberSystem), one round for each, the last
/// axis first: all blocks with the same digit go so far in one message. They take the places of
/// those with the same numbers there. Block d of a rank is at last the one that the rank d below it
/// had for it. Along two axes with one digit each, blocks may go in one round, a message for every
/// pair of distances: fewer rounds, and blocks are packed once for both. These messages
/// meet on links, and go in step. With a large radix rounds
/// are few and of many messages, and blocks travel seldom: if it is an axis's extent, once along
/// that.
Rounds bruck_alltoall(const Shape& shape, const BruckDigits& digits, std::optional<int> only = {});

/// A message's way along an axis: so far up, with blocks whose numbers have this digit.
struct DigitWay {
  int axis = 0;
  int distance = 0;
  DistanceDigit digit;
};

/// A message of these rounds. It has the blocks of an order whose numbers have the digits of its
/// ways, one or two.
struct DigitMessage {
  std::vector<DigitWay> ways;
  int order = 0;
  int blocks = 0;
};

/// A rank's messages in each round, the same for every rank.
std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape,
                                                      const BruckDigits& digits);

/// How many messages that is, without listing them.
int count_bruck_messages(const Shape& shape, const BruckDigits& digits);

}  // namespace cuboid::detail
