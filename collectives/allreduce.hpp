#pragma once

#include <cuboid/collectives/buffer.hpp>
#include <cuboid/collectives/collective_plan.hpp>
#include <cuboid/collectives/communicator.hpp>
#include <cuboid/collectives/reduction.hpp>
#include <cuboid/collectives/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Combines every rank's input element by element and gives every rank the result, the same bits
/// everywhere. Collective.
/// @param input   the same count and type on every rank.
/// @param output  as long as `input`; in place: pass the same memory.
void allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
               const Reduction& reduction);
Request start_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                        const Reduction& reduction);
CollectivePlan plan_allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                              const Reduction& reduction);

}  // namespace cuboid
