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

/// Gives the root the blocks of all ranks, in rank order. Collective.
/// @param input   this rank's block; the same count on every rank.
/// @param output  size() blocks, significant at the root only; in place: the root passes its block
/// of `output` as
///                `input`.
CUBOID_API void gather(const Communicator& communicator, ConstBuffer input, Buffer output,
                       int root);
CUBOID_API Request start_gather(const Communicator& communicator, ConstBuffer input, Buffer output,
                                int root);
CUBOID_API CollectivePlan plan_gather(const Communicator& communicator, ConstBuffer input,
                                      Buffer output, int root);

/// The same with blocks of different lengths.
/// @param counts         elements of each rank's block, by rank; significant at the root only.
/// @param displacements  where in `output` each block goes, in elements; empty: one behind the
/// other.
CUBOID_API void gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                        std::span<const std::size_t> counts,
                        std::span<const std::size_t> displacements, int root);
CUBOID_API Request start_gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                                 std::span<const std::size_t> counts,
                                 std::span<const std::size_t> displacements, int root);
CUBOID_API CollectivePlan plan_gatherv(const Communicator& communicator, ConstBuffer input,
                                       Buffer output, std::span<const std::size_t> counts,
                                       std::span<const std::size_t> displacements, int root);

}  // namespace cuboid
