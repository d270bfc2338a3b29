#include <cuboid/models/node_memory.hpp>

#include <algorithm>

namespace cuboid {

double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work) {
  const double hop = memory.message.alpha + memory.turn * (memory.ranks_per_core - 1);
  const double cores = ranks / memory.ranks_per_core;
  const double path = hop * work.path_hops + memory.overhead * work.path_messages +
                      memory.message.beta * work.path_bytes +
                      memory.combine_beta * work.path_combined;
  const double crowded_beta = std::max(memory.crowded_beta, memory.message.beta);
  const double all = memory.overhead * work.messages + crowded_beta * work.bytes +
                     memory.combine_beta * work.combined;
  return work.hops * hop + std::max(path, all / cores);
}

}  // namespace cuboid
