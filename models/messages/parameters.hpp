#pragma once

#include <cuboid/network.hpp>

#include "models/messages/hockney.hpp"
#include "models/messages/log_gp.hpp"
#include "models/messages/measured.hpp"
#include "models/messages/message_fit.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuboid::detail {

/// The machine that parameters were measured on. They are valid only if all of it is equal.
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

/// Messages between two ranks, nobody else sending. Seconds, and seconds per byte.
struct MeasuredMessages {
  Measured alpha;                            ///< of a short message, from beginning to end
  Measured beta;                             ///< per byte of long messages, one after the other
  std::optional<Measured> send_overhead;     ///< a core's work for beginning a short message
  std::optional<Measured> receive_overhead;  ///< and for taking in one that is there
  std::optional<Measured> latency;           ///< what is left of α
  std::optional<Measured> gap;               ///< from one short message of a sender to the next
  /// How messages of any size behave, where they change their way (protocol switch points).
  std::vector<MessageLine> lines = {};
  /// What messages of these sizes, ascending, took: within a node, where caches bend every line.
  std::vector<MessageSample> sizes = {};

  /// Messages that are known to take so long, and nothing else of them.
  static MeasuredMessages of(const Hockney& message) {
    return {exactly(message.alpha), exactly(message.beta), {}, {}, {}, {}, {}, {}};
  }

  Hockney message() const { return {alpha.value, beta.value}; }
  /// LogGP's view of the same; all of α is latency where overheads are unknown.
  LogGP log_gp() const;
  /// A byte's time in messages of so many bytes, beyond what the shortest take: those of other
  /// protocols, or for which a cache is too small, are slower than others.
  double byte_seconds(double bytes) const;
  /// The same where other messages, of any size, carry so many bytes in all: less what is of a
  /// message and not of its bytes.
  double flowing_byte_seconds(double bytes) const;
  /// Seconds that a message of so many bytes takes beyond the shortest and its bytes' own time.
  double handling_seconds(double bytes) const;
};

/// Measured parameters of the models. nullopt for what could not be measured, e.g. the network by
/// ranks of one node.
struct Parameters {
  ParametersKey key;
  std::optional<MeasuredMessages> between_nodes;  ///< over one cable, or through the switches
  std::optional<Measured> hop;                    ///< seconds that each further cable on its way
                                                  ///< adds to a message
  double cable_bytes_per_second = 0;              ///< said of those cables; 0 if not known
  std::optional<Measured> injection;              ///< bytes per second out of a node, over all its
                                                  ///< cables at once
  std::optional<Measured> burst;                  ///< bytes that a cable which was idle carries at
                                                  ///< once; see TokenBuckets
  std::optional<Measured> incast_loss;            ///< part of a link's rate; see FairShares
  /// Share of what can hide of a transfer between nodes behind a rank's gemm that does: 1 − ω of
  /// Krishnan and Nieplocha 2004, §2.1.
  std::optional<Measured> overlap;
  /// Seconds of a core that a further message of so many bytes between nodes takes where ranks
  /// share cores and all exchange messages at once, the network's own work included where the cores
  /// emulate it. Ascending; none where each rank has its core.
  std::vector<MessageSample> crowded_network = {};
  std::optional<Measured> network_context_switch;  ///< seconds of a core beside, each time that a
                                                   ///< rank which waited for messages goes on
  std::optional<MeasuredMessages> within_node;
  /// Bytes per second that one rank's memory delivers to all others of its node, who read it at
  /// once.
  std::optional<Measured> source;
  /// A core's work for messages that all ranks of a node receive at once: they share its memory's
  /// bandwidth.
  std::optional<MeasuredMessages> within_crowded_node;
  /// The same of what its sender has just written, and holds in its cache.
  std::optional<MeasuredMessages> within_node_fresh;
  std::optional<Measured> combine;  ///< seconds per byte of contributions that a core adds up
  std::vector<MessageSample> combine_sizes = {};  ///< seconds of adding up so many, ascending
  std::vector<MessageSample> copy_sizes = {};     ///< and of copying so many within a rank's memory
  std::optional<Measured> message_overhead;       ///< seconds; see NodeMemory::overhead
  std::optional<Measured> context_switch;         ///< seconds; see NodeMemory
};

/// Seconds per byte between samples of ascending sizes, less what the first takes; beyond the last
/// as of the last. 0 if there are none.
double byte_seconds(std::span<const MessageSample> sizes, double bytes);

/// The size whose bytes take the least time each, of those that take at least twice as long as the
/// shortest: what less says is noise. 0 if there are none.
double quickest_size(std::span<const MessageSample> sizes);

}  // namespace cuboid::detail
