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

/// Gives each rank its block of the root's input. Collective.
/// @param input   size() blocks in rank order, significant at the root only.
/// @param output  this rank's block; the same count on every rank; in place: the root passes its
/// block of `input`.
CUBOID_API void scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                        int root);
CUBOID_API Request start_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                                 int root);
CUBOID_API CollectivePlan plan_scatter(const Communicator& communicator, ConstBuffer input,
                                       Buffer output, int root);

/// The same with blocks of different lengths.
/// @param counts         elements of each rank's block, by rank; significant at the root only.
/// @param displacements  where in `input` each block lies, in elements; empty: one behind the
/// other.
CUBOID_API void scatterv(const Communicator& communicator, ConstBuffer input,
                         std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements, Buffer output, int root);
CUBOID_API Request start_scatterv(const Communicator& communicator, ConstBuffer input,
                                  std::span<const std::size_t> counts,
                                  std::span<const std::size_t> displacements, Buffer output,
                                  int root);
CUBOID_API CollectivePlan plan_scatterv(const Communicator& communicator, ConstBuffer input,
                                        std::span<const std::size_t> counts,
                                        std::span<const std::size_t> displacements, Buffer output,
                                        int root);

}  // namespace cuboid
