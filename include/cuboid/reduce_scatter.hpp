#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Combines the inputs of all ranks element by element and returns block i of the result on rank
/// i. Collective.
/// @param input      size() blocks of output.count elements; same type on every rank.
/// @param output     this rank's block; in place: pass this rank's block of `input` as `output`.
/// @param reduction  the same on every rank.
/// Throws as every collective (see Communicator), and Error(invalid_argument) if the
/// reduction is undefined for the type.
CUBOID_API void reduce_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                               const Reduction& reduction);
/// reduce_scatter() without waiting: returns a request; the buffers belong to it until it is
/// complete.
CUBOID_API Request start_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                        Buffer output, const Reduction& reduction,
                                        OnStream after = {});
/// A plan of reduce_scatter() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_reduce_scatter(const Communicator& communicator, ConstBuffer input,
                                              Buffer output, const Reduction& reduction);

/// reduce_scatter() with blocks of different lengths. Collective.
/// @param counts  number of elements of each rank's block, by rank; the blocks lie one after the
///                other in `input`; the same on every rank. The list is copied.
/// @param input   the blocks, and nothing behind them.
/// @param output  this rank's block; counts[rank] elements.
/// Throws as reduce_scatter(), and Error(invalid_argument) if the list has not size() numbers.
CUBOID_API void reduce_scatterv(const Communicator& communicator, ConstBuffer input, Buffer output,
                                std::span<const std::size_t> counts, const Reduction& reduction);
/// reduce_scatterv() without waiting: returns a request; the buffers belong to it until it is
/// complete.
CUBOID_API Request start_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                         Buffer output, std::span<const std::size_t> counts,
                                         const Reduction& reduction, OnStream after = {});
/// A plan of reduce_scatterv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_reduce_scatterv(const Communicator& communicator, ConstBuffer input,
                                               Buffer output, std::span<const std::size_t> counts,
                                               const Reduction& reduction);

}  // namespace cuboid
