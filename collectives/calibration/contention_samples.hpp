#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/calibration/probe.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "models/messages/message_fit.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// Measurements of calibrate() while all ranks are awake. All functions are collective over `world`
/// and return the same on all ranks.

/// The seconds of a token's hops round the ranks of the slowest node, while tokens go round all
/// nodes at the same time.
std::vector<double> token_hops(const Communicator& world);

/// The seconds of a core per message in rounds in which all ranks of a node receive at once. Each
/// number is the median of several runs, on the slowest rank.
std::vector<MessageSample> crowded_rounds(const Communicator& world, Sent sent);

/// Rounds between nodes in which all ranks are awake.
struct CrowdedNetwork {
  /// The seconds of a core that a rank takes in a round of messages of one size, by run.
  struct Size {
    std::size_t bytes = 0;
    std::vector<double> one;  ///< each rank sends one message to the next
    /// Each rank sends some messages to all nodes that cables join to its own node.
    std::vector<double> many;
  };
  std::vector<Size> sizes;
  double received = 0;  ///< messages that a rank receives in a round of `many`

  /// Adds the runs of another measurement, of the same sizes.
  void add(const CrowdedNetwork& other);
};
CrowdedNetwork crowded_network(const Communicator& world);

/// The runs of an all-to-all with one rank on each of some nodes.
struct EveryoneToEveryone {
  GroupNodes nodes;             ///< the nodes of the ranks that took part
  std::size_t block_bytes = 0;  ///< bytes from each rank to each other
  /// The seconds of the slowest rank, by run; empty if it was not run.
  std::vector<double> seconds;

  /// Adds the runs of another measurement.
  void add(const EveryoneToEveryone& other);
};

/// The bytes of a block with which the messages of an all-to-all share links for some time.
/// @param byte_seconds  the seconds of a byte on a link
std::size_t crowding_block_bytes(double byte_seconds);
EveryoneToEveryone everyone_to_everyone(const Communicator& world, std::size_t block_bytes);

}  // namespace cuboid::detail
