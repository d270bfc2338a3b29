#pragma once

#include "models/messages/log_gp.hpp"
#include "models/simulator/transfer_graph.hpp"
#include "topology/network/routes.hpp"

#include <vector>

namespace cuboid::detail {

/// What transfers travel over.
struct Fabric {
  Routes routes;
  std::vector<int> node_of_rank;  ///< by rank, numbers of routes.network()
  LogGP between_nodes;            ///< G: of the slowest link; others are as much faster as they say
  LogGP within_node;
  double segment_seconds = 0;             ///< that a link is taken up by a message beside its bytes
  double injection_bytes_per_second = 0;  ///< into a node and out of it, all links; 0: no limit
  /// What a link that carried less than it could may carry at once later on (see TokenBuckets).
  double burst_bytes = 0;
  double incast_loss = 0;  ///< of links that many connections share; see FairShares
  /// Cores that all ranks share, see SharedCores; 0: each has its own. A turn on one takes
  /// `turn_seconds`, and each end of a message between nodes `core_byte_seconds` per byte beside
  /// its overhead.
  int cores = 0;
  double turn_seconds = 0;
  double core_byte_seconds = 0;

  /// Every rank on a node of its own, numbered alike.
  static Fabric one_rank_per_node(Routes routes, const LogGP& between_nodes);
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
};

/// Runs transfers with contention, link by link. Deterministic.
///
/// Under LogGP a rank's processor does one thing at a time, in the order in which it could begin:
/// it is busy for o_s as it sends a message, and can send the next after g; for o_r, and the
/// transfer's work, as it takes one in. Between nodes messages of one rank to another follow one
/// another, as on one connection; all that are under way share the links on their routes under
/// max-min fairness, and the last byte arrives L after it left. Links forward at once what comes
/// in. Within a node messages take L, and the receiver then copies them, G per byte.
/// Where ranks share cores, a rank's processor is one of these while it has its turn.
///
/// Where no two messages meet on a link, this takes a few operations of a priority queue per
/// transfer; where they do, as many steps more as messages hang together by shared links. Throws
/// Error(invalid_argument) where a rank has no node, or neither the rate of a link nor G is known.
SimulatedRun simulate(const TransferGraph& graph, const Fabric& fabric);

}  // namespace cuboid::detail
