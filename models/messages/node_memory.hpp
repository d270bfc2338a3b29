#pragma once

#include "models/messages/hockney.hpp"

namespace cuboid::detail {

/// Ranks of one node, who pass messages on through memory. Unlike over a network, a sender is busy
/// for a moment only: the receiver copies, all receivers at once as far as there are cores for
/// them. Where ranks share cores, whoever is waited for must get its turn first.
struct NodeMemory {
  Hockney message;              ///< of one message between two ranks that both run, all else idle
  double ranks_per_core = 1;    ///< at least 1
  double overhead = 0.15e-6;    ///< seconds of a core that a message takes beside its bytes
  double crowded_overhead = 0;  ///< the same while all cores copy; less than `overhead`: as that
  double fresh_overhead = 0;    ///< and of what another core has just written, likewise
  double turn = 1.2e-6;         ///< seconds until a rank that only waits has looked and given way
  /// Seconds of a core per byte while all cores copy, sharing the memory's bandwidth; less than β
  /// counts as β.
  double crowded_beta = 0;
  /// Seconds of a core per byte that another core has just written, and holds in its cache; less
  /// than crowded_beta counts as that.
  double fresh_beta = 0;
  double combine_beta = 0.1e-9;  ///< seconds of a core per byte of two contributions added up
  double copy_beta = 0.1e-9;     ///< and per byte that a rank copies from its own memory to its own
};

/// What a collective asks of a node.
struct NodeWork {
  double hops = 0;           ///< times that a rank waits for another, one after the other
  double path_hops = 0;      ///< further ones, during which other ranks have work
  double path_messages = 0;  ///< of the rank that has most to do
  double path_bytes = 0;     ///< copied one after the other
  double path_fresh = 0;     ///< of these, what its sender has just written
  double path_combined = 0;  ///< bytes combined one after the other
  double path_copied = 0;    ///< bytes that a rank copies within its own memory, likewise
  double messages = 0;       ///< of all ranks
  double bytes = 0;          ///< copied by all ranks
  double fresh = 0;          ///< of these, what their sender has just written
  double combined = 0;       ///< bytes combined by all ranks
  double copied = 0;         ///< bytes copied by all ranks within their own memory
};

/// With h = α + turn·(ranks_per_core − 1), what it takes to be waited for, and as many messages in
/// a hundred fresh as bytes: h·hops + max(h·path_hops + o·path_messages + β·(path_bytes −
/// path_fresh) + φ·path_fresh + γ·path_combined + κ·path_copied, (o'·messages + β'·(bytes − fresh)
/// + φ·fresh + γ·combined + κ·copied)/cores), o' and β' where all cores copy, φ for what is fresh,
/// γ for what is combined and κ for a rank's own copies: the waiting, and then whatever is longer,
/// the longest path or all work spread over the cores of `ranks` ranks.
double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work);

}  // namespace cuboid::detail
