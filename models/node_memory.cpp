#include <cuboid/models/node_memory.hpp>

#include <algorithm>

namespace cuboid {

double node_seconds(const NodeMemory& memory, int ranks, const NodeWork& work) {
  const double hop = memory.message.alpha + memory.turn * (memory.ranks_per_core - 1);
  const double cores = ranks / memory.ranks_per_core;
  const double beta = memory.message.beta;
  const double crowded_beta = std::max(memory.crowded_beta, beta);
  const double fresh_beta = std::max(memory.fresh_beta, crowded_beta);
  const double path = hop * work.path_hops + memory.overhead * work.path_messages +
                      beta * (work.path_bytes - work.path_fresh) + fresh_beta * work.path_fresh +
                      memory.combine_beta * work.path_combined;
  const double all = memory.overhead * work.messages + crowded_beta * (work.bytes - work.fresh) +
                     fresh_beta * work.fresh + memory.combine_beta * work.combined;
  return work.hops * hop + std::max(path, all / cores);
}

}  // namespace cuboid
