#pragma once

#include <cuboid/network.hpp>

#include "models/messages/log_gp.hpp"
#include "models/messages/measured.hpp"
#include "models/messages/message_fit.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The machine on which parameters were measured. Parameters are valid only on an equal machine.
struct ParametersKey {
  struct Host {
    std::string name;
    int ranks = 1;
    auto operator<=>(const Host&) const = default;
  };
  struct Cable {
    std::string from;  ///< the lesser name of the two
    std::string to;
    double bytes_per_second = 0;  ///< 0 if it is unknown
    auto operator<=>(const Cable&) const = default;
  };
  std::vector<Host> hosts;    ///< ascending
  std::vector<Cable> cables;  ///< ascending; empty if the network is unknown
  /// How messages are sent: what ranks are ("threads" or "processes"), and each transport and
  /// device available, e.g. "tcp/eth0"; ascending.
  std::vector<std::string> transports = {};
  bool operator==(const ParametersKey&) const = default;
};

/// The key for ranks on these hosts, given in any order.
/// @param network  the network between them; nullptr if unknown.
ParametersKey parameters_key(std::span<const std::string> host_of_rank, const Network* network);

/// Messages between two ranks while no other rank sends, in seconds and seconds per byte.
struct MeasuredMessages {
  Measured alpha;                         ///< a short message, from beginning to end
  Measured beta;                          ///< a byte of long messages, one after the other
  std::optional<Measured> send_overhead;  ///< a core's work to begin a short message
  /// A core's work to receive a short message that has arrived.
  std::optional<Measured> receive_overhead;
  std::optional<Measured> latency;  ///< the rest of α
  std::optional<Measured> gap;      ///< from one short message of a sender to the next
  /// Messages of ascending sizes, within a node, where caches bend every line.
  std::vector<MessageSample> sizes = {};

  /// Parameters of which only latency and bandwidth are known.
  static MeasuredMessages of(const Hockney& message) {
    return {exactly(message.alpha), exactly(message.beta), {}, {}, {}, {}, {}};
  }

  Hockney message() const { return {alpha.value, beta.value}; }
  /// The same parameters in the form of LogGP. All of α is latency if overheads are unknown.
  LogGP log_gp() const;
  /// Seconds per byte of messages of `bytes`, without the time of the shortest message. They depend
  /// on the size: another protocol, or a cache that is too small, makes bytes slower.
  double byte_seconds(double bytes) const;
  /// The byte_seconds() of messages of any size that carry `bytes` together. The time that belongs
  /// to a message and not to its bytes is left out.
  double flowing_byte_seconds(double bytes) const;
  /// Seconds of a message of `bytes` beyond the shortest message and the time of its bytes.
  double handling_seconds(double bytes) const;
};

/// Measured parameters of the models. nullopt: could not be measured, such as the network by ranks
/// of one node.
struct Parameters {
  ParametersKey key;
  /// Messages over one cable, or through the switches.
  std::optional<MeasuredMessages> between_nodes;
  std::optional<Measured> hop;        ///< seconds that each further cable adds to a message
  double cable_bytes_per_second = 0;  ///< the nominal rate of a cable; 0 if not known
  /// Bytes per second out of a node, over all its cables at once.
  std::optional<Measured> injection;
  std::optional<Measured> burst;  ///< bytes that an idle cable carries at once; see TokenBuckets
  std::optional<Measured> incast_loss;  ///< share of a link's rate; see FairShares
  /// Share of a transfer between nodes that overlaps with a rank's gemm, of the most that could: 1
  /// − ω of Krishnan and Nieplocha 2004, §2.1.
  std::optional<Measured> overlap;
  /// Seconds of a core per message between nodes, by ascending sizes, where ranks share cores and
  /// all exchange messages at once. They include the network's own work if the cores emulate it.
  /// Empty if each rank has its own core.
  std::vector<MessageSample> crowded_network = {};
  /// Seconds of a core each time that a rank which waited for messages goes on.
  std::optional<Measured> network_context_switch;
  std::optional<MeasuredMessages> within_node;
  /// Bytes per second that one rank's memory delivers to all other ranks of its node when they read
  /// it at once.
  std::optional<Measured> source;
  /// A core's work for messages that all ranks of a node receive at once, sharing the bandwidth of
  /// its memory.
  std::optional<MeasuredMessages> within_crowded_node;
  /// The same for data that the sender has just written, and holds in its cache.
  std::optional<MeasuredMessages> within_node_fresh;
  std::optional<Measured> combine;                ///< seconds per byte that a core combines
  std::vector<MessageSample> combine_sizes = {};  ///< seconds of combining, by ascending sizes
  /// Seconds of copying within a rank's memory, by ascending sizes.
  std::vector<MessageSample> copy_sizes = {};
  std::optional<Measured> message_overhead;  ///< seconds; see NodeMemory::overhead
  std::optional<Measured> context_switch;    ///< seconds; see NodeMemory
  std::string file = {};                     ///< that they were read from; empty: none
};

/// Seconds per byte at a size, interpolated between samples of ascending sizes, without the time of
/// the first sample; beyond the last sample as at the last. 0 if there are no samples.
double byte_seconds(std::span<const MessageSample> sizes, double bytes);

/// The size with the least time per byte, among the sizes that take at least twice as long as the
/// shortest; shorter sizes are too close to noise. 0 if there are none.
double quickest_size(std::span<const MessageSample> sizes);

}  // namespace cuboid::detail
