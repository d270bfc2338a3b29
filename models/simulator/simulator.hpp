#pragma once

#include "models/messages/log_gp.hpp"
#include "models/simulator/transfer_graph.hpp"
#include "topology/network/routes.hpp"

#include <vector>

namespace cuboid::detail {

/// The network and the ranks that transfers run on.
struct Platform {
  Routes routes;
  std::vector<int> node_of_rank;  ///< by rank, the number of its node in routes.network()
  /// G is that of the slowest link; other links are faster in proportion to their rates.
  LogGP between_nodes;
  LogGP within_node;
  double hop_seconds = 0;                 ///< latency that each link after the first adds
  double segment_seconds = 0;             ///< link time per message, beside its bytes
  double injection_bytes_per_second = 0;  ///< into and out of a node, over all links; 0: no limit
  /// True if the messages of one rank to another go in the order in which they were added to the
  /// graph, as far as they are ready: of the ready messages the earliest goes first.
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
  /// Limits of copies within a node, see Copies: the bandwidth of the node's memory, and of one
  /// rank's memory for all its readers together; 0: no limit.
  double memory_bytes_per_second = 0;
  double source_bytes_per_second = 0;

  /// Rank i on node i.
  static Platform one_rank_per_node(Routes routes, const LogGP& between_nodes);
};

/// The history of a transfer, in seconds since the beginning.
struct TransferTimes {
  double ready = 0;     ///< when all that it waits for had happened
  double departed = 0;  ///< when its first byte left
  double drained = 0;   ///< when its last byte left
  double done = 0;      ///< when the receiver had it and had done its work
};

struct SimulatedRun {
  double seconds = 0;
  std::vector<TransferTimes> transfers;
  std::vector<double> link_bytes;   ///< by link of the network, what crossed it
  double busiest_link_seconds = 0;  ///< the longest time of any link to carry its bytes at its rate
  /// The effort of the simulation, in events; a computed rate counts an eighth.
  std::size_t operations = 0;
};

/// Simulates transfers with contention, link by link. Deterministic.
///
/// Under LogGP a rank's processor does one thing at a time, in the order of readiness. It is busy
/// for o_s to send a message and can send the next after g. To receive a message it is busy for o_r
/// and the transfer's work. Between nodes the messages of one rank to another follow each other, as
/// on one connection. All messages in flight share the links on their routes with max-min fairness.
/// The last byte arrives L after it left, and a hop's time later for each further link. Within a
/// node messages take L; then the receiver copies them, G per byte, or longer if copies share
/// memory. If ranks share cores, a rank has a processor only while it is scheduled.
///
/// If no two messages meet on a link, a transfer takes a few operations of a priority queue;
/// otherwise the effort grows with the number of messages that are connected by shared links.
/// Throws Error(invalid_argument) if a rank has no node, or if neither the rate of a link nor G is
/// known.
SimulatedRun simulate(const TransferGraph& graph, const Platform& platform);

}  // namespace cuboid::detail
