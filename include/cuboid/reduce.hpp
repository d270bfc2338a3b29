#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Combines the inputs of all ranks element by element into the root's output. Reductions that are
/// not commutative are combined in rank order, others in a fixed order that depends on the
/// algorithm. Collective.
/// @param input      same count and type on every rank.
/// @param output     same count and type as `input`; used at the root only; in place: pass the same
///                   memory as `input`.
/// @param reduction  the same on every rank.
/// @param root       rank of the communicator; the same on every rank.
/// Throws as every collective (see Communicator), and Error(invalid_argument) if the
/// reduction is undefined for the type.
CUBOID_API void reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                       const Reduction& reduction, int root);
/// reduce() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_reduce(const Communicator& communicator, ConstBuffer input, Buffer output,
                                const Reduction& reduction, int root, OnStream after = {});
/// A plan of reduce() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_reduce(const Communicator& communicator, ConstBuffer input,
                                      Buffer output, const Reduction& reduction, int root);

}  // namespace cuboid
