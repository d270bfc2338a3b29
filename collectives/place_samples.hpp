#pragma once

#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/group_nodes.hpp>
#include <cuboid/collectives/probe.hpp>
#include <cuboid/collectives/probe_places.hpp>
#include <cuboid/models/measured.hpp>
#include <cuboid/models/message_fit.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid {

/// What calibrate() measures, one thing after the other. All collective over `world`, and what they
/// return is the same on all ranks.

enum class Where { between_nodes, within_a_node };

/// What one place has shown.
struct PlaceSamples {
  std::vector<double> one_way;          ///< seconds of short messages
  std::vector<MessageSample> single;    ///< messages of any size alone
  std::vector<MessageSample> streamed;  ///< long ones, from one to the next
  std::vector<double> send_overheads;   ///< seconds per short message
  std::vector<double> receive_overheads;
  std::vector<double> gaps;
  std::vector<double> caught_up;  ///< bytes

  void add(const PlaceSamples& other);
};

/// A number that was measured several times: the median, or within a node the quickest.
Measured number_of(std::span<const double> seconds, Where where);

/// Seconds per byte of a stream.
Measured beta_of(const std::vector<MessageSample>& samples);

/// One rank asks, others answer, everybody else waits.
PlaceSamples samples_of(const Communicator& world, const ProbePlace& place, Where where);

/// Bytes per second of the rank that asks to all that answer at once.
std::vector<double> injection_rates(const Communicator& world, const ProbePlace& place);

/// Seconds of hops of tokens that go round the ranks of all nodes at once; of the slowest node.
std::vector<double> token_hops(const Communicator& world);

/// Rounds in which all ranks of a node receive at once, in seconds of a core per message. The
/// slowest rank's, and of several runs the quickest: what else goes on can only make them longer.
std::vector<MessageSample> crowded_rounds(const Communicator& world, Sent sent);

/// The same between nodes, every rank exchanging messages with the nodes that cables join to its
/// own at once. The median of several runs.
struct CrowdedNetwork {
  std::vector<MessageSample> messages;  ///< seconds of a core that a further message takes
  std::vector<double> turns;            ///< and that a rank takes to go on, when messages have come
};
CrowdedNetwork crowded_network(const Communicator& world);

/// An all-to-all of one rank on each of some nodes, each to each at once.
struct EveryoneToEveryone {
  GroupNodes nodes;             ///< as this group sees them
  std::size_t block_bytes = 0;  ///< from each to each
  std::vector<double> seconds;  ///< of the slowest; none where it was not run
};

/// Long enough for its connections to share links for a while, by what a byte takes on a link.
EveryoneToEveryone everyone_to_everyone(const Communicator& world, double byte_seconds);

/// Seconds of adding up so many bytes, each size several times. On the rank that calls.
std::vector<MessageSample> combining_rounds();

}  // namespace cuboid
