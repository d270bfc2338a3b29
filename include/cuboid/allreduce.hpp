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

/// Combines every rank's input element by element and gives every rank the result, the same bits
/// everywhere. Collective.
/// @param input   the same count and type on every rank.
/// @param output  as long as `input`; in place: pass the same memory.
CUBOID_API void allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                          const Reduction& reduction);
CUBOID_API Request start_allreduce(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, const Reduction& reduction);
CUBOID_API CollectivePlan plan_allreduce(const Communicator& communicator, ConstBuffer input,
                                         Buffer output, const Reduction& reduction);

}  // namespace cuboid
