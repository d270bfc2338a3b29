#pragma once

#include <cuboid/shape.hpp>

#include "collectives/rounds/bucket.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message of bucket_allgather(). On a ring every node sends the same messages. On a line these
/// are the messages that follow each other upwards from one end to the other, and half as many
/// downwards: what the nodes on the way, up to the middle, send back at the same time.
struct BucketMessage {
  std::size_t colour = 0;
  int round = 0;
  int axis = 0;
  int direction = 1;                    ///< +1: upwards, −1: downwards
  double blocks = 0;                    ///< its length, in the colour's shares of blocks
  std::vector<std::size_t> after = {};  ///< the earlier messages that bring what it passes on
};

/// The messages that node 0 sends, round by round. It receives the same number, as all nodes do the
/// same. What travels to one neighbour in one round is cut into messages of equal length (runs).
/// @param blocks_in_a_run  by colour, the most blocks in a run; a run has at least one piece.
std::vector<BucketMessage> bucket_messages(const Shape& shape,
                                           std::span<const BucketColour> colours,
                                           std::span<const double> blocks_in_a_run);

/// The number of bundles of blocks that a colour sends along an axis, before bundles are cut into
/// runs.
int bucket_bundles(const Shape& shape, int axis);

}  // namespace cuboid::detail
