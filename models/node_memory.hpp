#pragma once

#include <cuboid/models/hockney.hpp>

namespace cuboid {

/// Ranks of one node, who pass messages on through memory. Unlike over a network, a sender is busy
/// for a moment only: the receiver copies, all receivers at once as far as there are cores for
/// them. Where ranks share cores, whoever is waited for must get its turn first.
struct NodeMemory {
  Hockney message;            ///< of one message between two ranks that both run
  double ranks_per_core = 1;  ///< at least 1
  double overhead = 0.15e-6;  ///< seconds of a core that a message takes beside its bytes
  double turn = 1.2e-6;       ///< seconds until a rank that only waits has looked and given way
};

/// What a collective asks of a node.
struct NodeWork {
  double hops = 0;           ///< times that a rank waits for another, one after the other
  double path_hops = 0;      ///< further ones, during which other ranks have work
  double path_messages = 0;  ///< of the rank that has most to do
  double path_bytes = 0;     ///< copied, or combined, one after the other
  double messages = 0;       ///< of all ranks
  double bytes = 0;          ///< copied, or combined, by all ranks
};

/// With h = α + turn·(ranks_per_core − 1), what it takes to be waited for:
/// h·hops + max(h·path_hops + o·path_messages + β·path_bytes, (o·messages + β·bytes)/cores): the
/// waiting, and then whatever is longer, the longest path or all work spread over the cores of
/// `ranks` ranks.
double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work);

}  // namespace cuboid
