#include "models/messages/node_memory.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// Seconds of messages and their bytes, of which some are fresh.
double messages_seconds(const Hockney& old, const Hockney& fresh, double messages, double bytes,
                        double fresh_bytes) {
  const double fresh_messages = bytes > 0 ? messages * fresh_bytes / bytes : 0;
  return old.alpha * (messages - fresh_messages) + old.beta * (bytes - fresh_bytes) +
         fresh.alpha * fresh_messages + fresh.beta * fresh_bytes;
}

}  // namespace

double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work) {
  const double hop = memory.message.alpha + memory.context_switch * (memory.ranks_per_core - 1);
  const double cores = ranks / memory.ranks_per_core;
  const Hockney alone{memory.overhead, memory.message.beta};
  const Hockney crowded{std::max(memory.crowded_overhead, alone.alpha),
                        std::max(memory.crowded_beta, alone.beta)};
  const Hockney fresh{std::max(memory.fresh_overhead, crowded.alpha),
                      std::max(memory.fresh_beta, crowded.beta)};
  const double path =
      hop * work.path_hops +
      messages_seconds(alone, fresh, work.path_messages, work.path_bytes, work.path_fresh) +
      memory.combine_beta * work.path_combined + memory.copy_beta * work.path_copied;
  const double all = messages_seconds(crowded, fresh, work.messages, work.bytes, work.fresh) +
                     memory.combine_beta * work.combined + memory.copy_beta * work.copied;
  return work.hops * hop + std::max(path, all / cores);
}

}  // namespace cuboid::detail
