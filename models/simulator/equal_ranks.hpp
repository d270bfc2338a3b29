#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message that every rank sends at the same time as all others, each equally far in the same
/// direction; so every rank receives one, too.
struct CommonMessage {
  std::vector<std::size_t> after = {};  ///< earlier ones, received before it is sent
  double send_seconds = 0;              ///< of the sender's processor
  double bytes = 0;
  /// By kind of link: how many of all ranks' messages cross the busiest link of that kind.
  std::vector<double> crossings = {};
  double latency = 0;          ///< from its last byte's leaving to its arriving
  double receive_seconds = 0;  ///< of the receiver's processor, with what it does to the content
  /// Messages to the same peer follow each other, as on one connection.
  std::optional<std::size_t> peer = {};
};

/// What simulate() takes for ranks that all do the same at the same time: each on one node of a
/// torus, say, whose links of one direction along one axis are a kind of links. One rank's messages
/// are followed, whatever the number of ranks, and its links carry the other ranks' besides. A
/// processor does one thing at a time in the order of readiness, messages in flight share links
/// with max-min fairness.
///
/// Operations: messages squared times kinds of links.
/// @param bytes_per_second  by kind of link.
/// @param earliest_first    see Platform.
double seconds_of_equal_ranks(std::span<const CommonMessage> messages,
                              std::span<const double> bytes_per_second,
                              bool earliest_first = false);

}  // namespace cuboid::detail
