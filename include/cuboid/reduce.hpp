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

/// Combines every rank's input element by element into the root's output: in rank order where the
/// reduction does not commute, else in an order that depends on the algorithm. Collective.
/// @param input   the same count and type on every rank.
/// @param output  significant at the root only; in place: pass the same memory as `input`.
CUBOID_API void reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                       const Reduction& reduction, int root);
CUBOID_API Request start_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                                const Reduction& reduction, int root);
CUBOID_API CollectivePlan plan_reduce(const Communicator& communicator, ConstBuffer input,
                                      Buffer output, const Reduction& reduction, int root);

}  // namespace cuboid
