#pragma once

#include <cuboid/communicator.hpp>

#include "collectives/calibration/probe.hpp"
#include "collectives/schedules/group_nodes.hpp"
#include "models/messages/message_fit.hpp"

#include <cstddef>
#include <vector>

namespace cuboid::detail {

/// What calibrate() measures while all ranks are awake. All collective over `world`, and what they
/// return is the same on all ranks.

/// Seconds of hops of tokens that go round the ranks of all nodes at once; of the slowest node.
std::vector<double> token_hops(const Communicator& world);

/// Rounds in which all ranks of a node receive at once, in seconds of a core per message. The
/// slowest rank's, and of several runs the median.
std::vector<MessageSample> crowded_rounds(const Communicator& world, Sent sent);

/// Rounds between nodes in which all ranks are awake.
struct CrowdedNetwork {
  /// Seconds of a core that a rank takes in a round of messages of one size, of several runs.
  struct Size {
    std::size_t bytes = 0;
    std::vector<double> one;   ///< each rank sends one to the next
    std::vector<double> many;  ///< each sends some to all nodes that cables join to its own
  };
  std::vector<Size> sizes;
  double received = 0;  ///< by a rank, in a round of many

  /// What another visit has shown: the same sizes.
  void add(const CrowdedNetwork& other);
};
CrowdedNetwork crowded_network(const Communicator& world);

/// An all-to-all of one rank on each of some nodes, each to each at once.
struct EveryoneToEveryone {
  GroupNodes nodes;             ///< as this group sees them
  std::size_t block_bytes = 0;  ///< from each to each
  std::vector<double> seconds;  ///< of the slowest; none where it was not run

  /// Further runs of the same.
  void add(const EveryoneToEveryone& other);
};

/// Bytes of a block for the connections of an all-to-all to share links for a while, by what a byte
/// takes on a link.
std::size_t crowding_block_bytes(double byte_seconds);
EveryoneToEveryone everyone_to_everyone(const Communicator& world, std::size_t block_bytes);

}  // namespace cuboid::detail
