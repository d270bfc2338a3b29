#pragma once

#include <cuboid/shape.hpp>

#include "collectives/rounds/distance_digits.hpp"
#include "collectives/schedules/rounds.hpp"

#include <optional>
#include <vector>

namespace cuboid::detail {

/// How the blocks of an all-to-all travel.
struct BruckDigits {
  int radix = 2;   ///< the largest radix of the numbers along any axis
  int orders = 1;  ///< the number of orders of the axes that share the blocks. With as many orders
                   ///< as axes, the links of all axes are in use at any time.
  int axes = 1;    ///< the number of axes that a message goes along, 1 or 2. With 2, these are axes
                   ///< whose distances have one digit.
  bool operator==(const BruckDigits&) const = default;
};

/// An all-to-all of equal blocks along the axes of a shape that numbers the ranks. Along a single
/// axis it is the algorithm of Bruck et al. (1997).
///
/// Every rank numbers its blocks by the distance to their destination (node_at()). The distance
/// along an axis is a number of a few digits (NumberSystem), and each digit is a round, those of
/// the last axis first. In a round all blocks with the same digit travel in one message, as far as
/// the digit says. They take the places of the blocks with the same numbers at the receiver. In the
/// end, block d of a rank is the block that the rank at distance d below it had for it.
///
/// Along two axes with one digit each, blocks may go along both in one round, with a message for
/// each pair of digits. Rounds are fewer then, and blocks are packed once for both axes. Since
/// these messages meet on links, rounds go in lockstep.
///
/// A larger radix means fewer rounds of more messages, and a block travels less often: once along
/// an axis whose extent is the radix.
/// @param only  make only what this rank takes part in.
Rounds bruck_alltoall(const Shape& shape, const BruckDigits& digits, std::optional<int> only = {});

/// A message's way along one axis.
struct DigitWay {
  int axis = 0;
  int distance = 0;     ///< positions upwards
  DistanceDigit digit;  ///< the digit of the blocks that the message carries
};

/// A message of bruck_alltoall(): the blocks of one order of the axes whose distances have the
/// digits of the ways.
struct DigitMessage {
  std::vector<DigitWay> ways;  ///< one or two
  int order = 0;
  int blocks = 0;  ///< the number of blocks
};

/// The messages of a rank in each round; every rank has the same.
std::vector<std::vector<DigitMessage>> bruck_messages(const Shape& shape,
                                                      const BruckDigits& digits);

/// The number of these messages, without listing them.
int count_bruck_messages(const Shape& shape, const BruckDigits& digits);

}  // namespace cuboid::detail
