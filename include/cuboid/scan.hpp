#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

namespace cuboid {

/// Combines, element by element, the inputs of the ranks up to and including this one, in rank
/// order, into this rank's output. Collective.
/// @param input      same count and type on every rank.
/// @param output     same count and type as `input`; in place: pass the same memory as `input`.
/// @param reduction  the same on every rank; not the average.
/// Throws as every collective (see Communicator), and Error(invalid_argument) if the reduction is
/// undefined for the type or is the average.
CUBOID_API void scan(const Communicator& communicator, ConstBuffer input, Buffer output,
                     const Reduction& reduction);
/// scan() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_scan(const Communicator& communicator, ConstBuffer input, Buffer output,
                              const Reduction& reduction, OnStream after = {});
/// A plan of scan() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_scan(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, const Reduction& reduction);

/// scan() without this rank's own input: combines the inputs of the ranks below this one. Rank 0's
/// output is left as it is. Collective. Throws as scan().
CUBOID_API void exscan(const Communicator& communicator, ConstBuffer input, Buffer output,
                       const Reduction& reduction);
/// exscan() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_exscan(const Communicator& communicator, ConstBuffer input, Buffer output,
                                const Reduction& reduction, OnStream after = {});
/// A plan of exscan() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_exscan(const Communicator& communicator, ConstBuffer input,
                                      Buffer output, const Reduction& reduction);

}  // namespace cuboid
