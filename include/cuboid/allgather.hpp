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

/// Gives every rank the blocks of all ranks, in rank order. Collective.
/// @param input   this rank's block; the same count on every rank.
/// @param output  size() blocks; in place: pass this rank's block of `output` as `input`.
CUBOID_API void allgather(const Communicator& communicator, ConstBuffer input, Buffer output);
CUBOID_API Request start_allgather(const Communicator& communicator, ConstBuffer input,
                                   Buffer output);
CUBOID_API CollectivePlan plan_allgather(const Communicator& communicator, ConstBuffer input,
                                         Buffer output);

/// The same with blocks of different lengths.
/// @param counts         elements of each rank's block, by rank; the same on every rank.
/// @param displacements  where in `output` each block goes, in elements; empty: one behind the
/// other.
CUBOID_API void allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                           std::span<const std::size_t> counts,
                           std::span<const std::size_t> displacements = {});
CUBOID_API Request start_allgatherv(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, std::span<const std::size_t> counts,
                                    std::span<const std::size_t> displacements = {});
CUBOID_API CollectivePlan plan_allgatherv(const Communicator& communicator, ConstBuffer input,
                                          Buffer output, std::span<const std::size_t> counts,
                                          std::span<const std::size_t> displacements = {});

}  // namespace cuboid
