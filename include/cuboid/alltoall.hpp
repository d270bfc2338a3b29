#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/collective_plan.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Rank i's j-th block goes to rank j as its i-th. Collective.
/// @param input   size() blocks; the same count on every rank.
/// @param output  size() blocks; may not overlap `input`.
CUBOID_API void alltoall(const Communicator& communicator, ConstBuffer input, Buffer output);
CUBOID_API Request start_alltoall(const Communicator& communicator, ConstBuffer input,
                                  Buffer output);
CUBOID_API CollectivePlan plan_alltoall(const Communicator& communicator, ConstBuffer input,
                                        Buffer output);

/// The elements that one rank exchanges with each peer: counts by rank and where each block lies,
/// in elements; empty displacements: one behind the other.
struct Blocks {
  std::span<const std::size_t> counts;
  std::span<const std::size_t> displacements = {};
};

/// The same with blocks of different lengths: send.counts[j] here must be receive.counts[i] at rank
/// j.
CUBOID_API void alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                          Buffer output, Blocks receive);
CUBOID_API Request start_alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                                   Buffer output, Blocks receive);
CUBOID_API CollectivePlan plan_alltoallv(const Communicator& communicator, ConstBuffer input,
                                         Blocks send, Buffer output, Blocks receive);

}  // namespace cuboid
