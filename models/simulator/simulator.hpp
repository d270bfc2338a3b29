#pragma once

#include "models/messages/log_gp.hpp"
#include "models/simulator/transfer_graph.hpp"
#include "topology/network/routes.hpp"

#include <vector>

namespace cuboid::detail {

/// The network and the ranks that transfers run on.
struct Platform {
  Routes routes;
  std::vector<int> node_of_rank;  ///< by rank, numbers of routes.network()
  LogGP between_nodes;            ///< G: of the slowest link; others are as much faster as they say
  LogGP within_node;
  double hop_seconds = 0;                 ///< latency that each link after the first adds
  double segment_seconds = 0;             ///< link time per message, beside its bytes
  double injection_bytes_per_second = 0;  ///< into and out of a node, over all links; 0: no limit
  /// Whether of one rank's messages to another those that were added to the graph first go first,
  /// whenever they were ready.
  bool earliest_first = false;
  /// Burst of a link after it was idle (see TokenBuckets).
  double burst_bytes = 0;
  double incast_loss = 0;  ///< incast loss of links; see FairShares
  /// Number of cores that all ranks share, see SharedCores; 0: each rank has its own. A context
  /// switch takes `context_switch_seconds`; each end of a message between nodes takes
  /// `core_byte_seconds` per byte beside its overhead.
  int cores = 0;
  double context_switch_seconds = 0;
  double core_byte_seconds = 0;
  /// What copies within a node share besides, see Copies: the bandwidth of its memory, and what all
  /// who read one rank's memory get of it together; 0: no limit.
  double memory_bytes_per_second = 0;
  double source_bytes_per_second = 0;

  /// Rank i on node i.
  static Platform one_rank_per_node(Routes routes, const LogGP& between_nodes);
};

/// What happened to a transfer, in seconds since the beginning.
struct TransferTimes {
  double ready = 0;     ///< all that it waits for had happened
  double departed = 0;  ///< its first byte left
  double drained = 0;   ///< its last byte left
  double done = 0;      ///< the receiver has it, and has done its work
};

struct SimulatedRun {
  double seconds = 0;
  std::vector<TransferTimes> transfers;
  std::vector<double> link_bytes;   ///< by link of the network, what crossed it
  double busiest_link_seconds = 0;  ///< of any link, to carry its bytes at its rate
  /// What the simulation itself took, in events: rates take about an eighth of one each.
  std::size_t operations = 0;
};

/// Simulates transfers with contention, link by link. Deterministic.
///
/// Under LogGP a rank's processor does one thing at a time, in the order of readiness. It is busy
/// for o_s to send a message and can send the next after g; to receive one it is busy for o_r and
/// the transfer's work. Between nodes the messages of one rank to another follow each other, as on
/// one connection. All messages in flight share the links on their routes with max-min fairness,
/// and the last byte arrives L after it left, and a hop's time more for each further link. Within a
/// node messages take L; then the receiver copies them, G per byte, or longer where copies share
/// memory. If ranks share cores, a rank's processor is one of these while it is scheduled.
///
/// If no two messages meet on a link, a transfer costs a few operations of a priority queue;
/// otherwise the cost grows with the number of messages that are connected by shared links. Throws
/// Error(invalid_argument) if a rank has no node, or neither the rate of a link nor G is known.
SimulatedRun simulate(const TransferGraph& graph, const Platform& platform);

}  // namespace cuboid::detail
