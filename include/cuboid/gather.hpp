#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Concatenates the blocks of all ranks in rank order at the root. Collective.
/// @param input   this rank's block; same count and type on every rank.
/// @param output  size() · input.count elements; used at the root only; in place: the root passes
///                its block of `output` as `input`.
/// @param root    rank of the communicator; the same on every rank.
/// Throws as every collective (see Communicator). Any other overlap at the root is an
/// Error(invalid_argument).
CUBOID_API void gather(const Communicator& communicator, ConstBuffer input, Buffer output,
                       int root);
/// gather() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_gather(const Communicator& communicator, ConstBuffer input, Buffer output,
                                int root, OnStream after = {});
/// A plan of gather() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_gather(const Communicator& communicator, ConstBuffer input,
                                      Buffer output, int root);

/// gather() with blocks of different lengths. Collective.
/// @param input          this rank's block; counts[rank] elements.
/// @param counts         number of elements of each rank's block, by rank; used at the root only.
/// @param displacements  offset of each block in `output`, in elements; empty: blocks lie one after
///                       the other. Used at the root only.
/// The lists are copied. Throws as gather(), and Error(invalid_argument) at the root if a list has
/// not size() numbers or a block leaves `output`.
CUBOID_API void gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                        std::span<const std::size_t> counts,
                        std::span<const std::size_t> displacements, int root);
/// gatherv() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_gatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                                 std::span<const std::size_t> counts,
                                 std::span<const std::size_t> displacements, int root,
                                 OnStream after = {});
/// A plan of gatherv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_gatherv(const Communicator& communicator, ConstBuffer input,
                                       Buffer output, std::span<const std::size_t> counts,
                                       std::span<const std::size_t> displacements, int root);

}  // namespace cuboid
