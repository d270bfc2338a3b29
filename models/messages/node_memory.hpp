#pragma once

#include "models/messages/log_gp.hpp"
#include "models/messages/usual_parameters.hpp"

namespace cuboid::detail {

/// The cost of messages through a node's memory. Unlike over a network, the receiver copies, and
/// the sender is busy only for a moment. Receivers copy at the same time, as far as there are
/// cores. If ranks share cores, a rank that other ranks wait for must first be scheduled.
struct NodeMemory {
  Hockney message;            ///< a message between two running ranks, all else idle
  double ranks_per_core = 1;  ///< at least 1
  double overhead = usual_core_work.message;  ///< CPU seconds per message, beside its bytes
  double crowded_overhead = 0;                ///< `overhead` while all cores copy; not less than it
  double fresh_overhead = 0;  ///< `overhead` for data that another core has just written
  /// Seconds of a context switch of a waiting rank.
  double context_switch = usual_core_work.context_switch;
  /// CPU seconds per byte while all cores copy and share the memory's bandwidth; at least β.
  double crowded_beta = 0;
  /// CPU seconds per byte that another core has just written and holds in its cache; at least
  /// crowded_beta.
  double fresh_beta = 0;
  /// CPU seconds per byte of two contributions combined, and copied within a rank's own memory.
  double combine_beta = usual_core_work.combined_byte;
  double copy_beta = usual_core_work.copied_byte;
};

/// The work of a collective on a node.
struct NodeWork {
  double hops = 0;           ///< sequential waits of one rank for another
  double path_hops = 0;      ///< further waits, during which other ranks have work
  double path_messages = 0;  ///< messages of the busiest rank
  double path_bytes = 0;     ///< bytes copied sequentially
  double path_fresh = 0;     ///< of these, bytes that their sender has just written
  double path_combined = 0;  ///< bytes combined sequentially
  double path_copied = 0;    ///< bytes copied sequentially within a rank's own memory
  double messages = 0;       ///< messages of all ranks
  double bytes = 0;          ///< bytes copied by all ranks
  double fresh = 0;          ///< of these, bytes that their sender has just written
  double combined = 0;       ///< bytes combined by all ranks
  double copied = 0;         ///< bytes copied by all ranks within their own memory
};

/// The time of a collective within a node: the waiting, then the longer of the longest path and all
/// work spread over the cores of `ranks` ranks. With h = α + s·(ranks_per_core − 1), the time of a
/// wait with s of a context switch:
///
///   h·hops + max(h·path_hops + o·path_messages + β·(path_bytes − path_fresh) + φ·path_fresh +
///                γ·path_combined + κ·path_copied,
///                (o'·messages + β'·(bytes − fresh) + φ·fresh + γ·combined + κ·copied)/cores)
///
/// o' and β' hold while all cores copy, φ for fresh data, γ for combination, κ for copies within a
/// rank. The share of fresh messages is taken to be that of fresh bytes.
double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work);

}  // namespace cuboid::detail
