#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace cuboid::detail {

/// A message that every rank sends at the same time, equally far in the same direction. So every
/// rank also receives one.
struct CommonMessage {
  /// The earlier messages that a rank must have received before it sends this one.
  std::vector<std::size_t> after = {};
  double send_seconds = 0;  ///< seconds of the sender's processor
  double bytes = 0;
  /// By kind of link: the number of ranks' messages that cross the busiest link of the kind.
  std::vector<double> crossings = {};
  double latency = 0;  ///< from the leaving of its last byte to its arrival
  /// Seconds of the receiver's processor, with the work on the content.
  double receive_seconds = 0;
  /// Messages to the same peer follow each other, as on one connection.
  std::optional<std::size_t> peer = {};
};

/// The seconds that simulate() gives for ranks that all do the same at the same time. Example: one
/// rank on each node of a torus; the links of one direction along one axis are a kind of links. One
/// rank's messages are followed, whatever the number of ranks, and its links also carry the other
/// ranks' messages. A processor does one thing at a time in the order of readiness; messages in
/// flight share links with max-min fairness.
///
/// Operations: messages squared times kinds of links.
/// @param bytes_per_second  by kind of link.
/// @param earliest_first    see Platform.
double seconds_of_equal_ranks(std::span<const CommonMessage> messages,
                              std::span<const double> bytes_per_second,
                              bool earliest_first = false);

}  // namespace cuboid::detail
