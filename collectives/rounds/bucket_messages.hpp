#pragma once

#include <cuboid/shape.hpp>

#include "collectives/rounds/bucket.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message of bucket_allgather(). On a torus every node sends the same; of a line the messages
/// are those that follow each other from one end to the other, with what nodes on the way send back
/// meanwhile: as many as come up, to the middle.
struct BucketMessage {
  std::size_t colour = 0;
  int round = 0;
  int axis = 0;
  int direction = 1;                    ///< +1: upwards
  double blocks = 0;                    ///< as part of all of its colour, of one whole block each
  std::vector<std::size_t> after = {};  ///< earlier ones that bring what it passes on
};

/// A node's messages, round by round, in runs of equal length: what node 0 sends, and as all do the
/// same, what it receives. Runs of other nodes hold the same blocks in another order.
/// @param blocks_in_a_run   of a colour, at most, unless there is only a piece in it.
std::vector<BucketMessage> bucket_messages(const Shape& shape,
                                           std::span<const BucketColour> colours,
                                           std::span<const double> blocks_in_a_run);

/// How many bundles of blocks a colour's messages along an axis are, before they are cut in runs.
int bucket_bundles(const Shape& shape, int axis);

}  // namespace cuboid::detail
