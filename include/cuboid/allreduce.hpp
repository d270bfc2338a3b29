#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Combines the inputs of all ranks element by element and returns the result on every rank. All
/// ranks get the same bits. Collective. Throws as every collective (see Communicator), and
/// Error(invalid_argument) if the reduction is undefined for the type.
/// @param input      same count and type on every rank.
/// @param output     same count and type as `input`; in place: pass the same memory.
/// @param reduction  the same on every rank.
CUBOID_API void allreduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                          const Reduction& reduction);
/// allreduce() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_allreduce(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, const Reduction& reduction, OnStream after = {});
/// A plan of allreduce() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_allreduce(const Communicator& communicator, ConstBuffer input,
                                         Buffer output, const Reduction& reduction);

}  // namespace cuboid
