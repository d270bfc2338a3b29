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

/// Combines every rank's input element by element and gives each rank its block of the result.
/// Collective.
/// @param input   size() blocks of output.count elements.
/// @param output  this rank's block; in place: pass this rank's block of `input` as `output`.
CUBOID_API void reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                               const Reduction& reduction);
CUBOID_API Request start_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                        Buffer output, const Reduction& reduction);
CUBOID_API CollectivePlan plan_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                              Buffer output, const Reduction& reduction);

/// The same with blocks of different lengths.
/// @param counts  elements of each rank's block, by rank, one behind the other in `input`; the same
/// on every rank.
CUBOID_API void reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                                std::span<const std::size_t> counts, const Reduction& reduction);
CUBOID_API Request start_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                         Buffer output, std::span<const std::size_t> counts,
                                         const Reduction& reduction);
CUBOID_API CollectivePlan plan_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                               Buffer output, std::span<const std::size_t> counts,
                                               const Reduction& reduction);

}  // namespace cuboid
