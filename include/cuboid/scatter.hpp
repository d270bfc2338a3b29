#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Sends block i of the root's input to rank i. Collective.
/// @param input   size() · output.count elements in rank order; used at the root only.
/// @param output  this rank's block; same count and type on every rank; in place: the root passes
///                its block of `input`.
/// @param root    rank of the communicator; the same on every rank.
/// Throws as every collective (see Communicator). Any other overlap at the root is an
/// Error(invalid_argument).
CUBOID_API void scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                        int root);
/// scatter() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_scatter(const Communicator& communicator, ConstBuffer input, Buffer output,
                                 int root, OnStream after = {});
/// A plan of scatter() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_scatter(const Communicator& communicator, ConstBuffer input,
                                       Buffer output, int root);

/// scatter() with blocks of different lengths. Collective.
/// @param counts         number of elements of each rank's block, by rank; used at the root only.
/// @param displacements  offset of each block in `input`, in elements; empty: blocks lie one after
///                       the other. Used at the root only.
/// @param output         this rank's block; counts[rank] elements.
/// The lists are copied. Throws as scatter(), and Error(invalid_argument) at the root if a list has
/// not size() numbers or a block leaves `input`.
CUBOID_API void scatterv(const Communicator& communicator, ConstBuffer input,
                         std::span<const std::size_t> counts,
                         std::span<const std::size_t> displacements, Buffer output, int root);
/// scatterv() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_scatterv(const Communicator& communicator, ConstBuffer input,
                                  std::span<const std::size_t> counts,
                                  std::span<const std::size_t> displacements, Buffer output,
                                  int root, OnStream after = {});
/// A plan of scatterv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_scatterv(const Communicator& communicator, ConstBuffer input,
                                        std::span<const std::size_t> counts,
                                        std::span<const std::size_t> displacements, Buffer output,
                                        int root);

}  // namespace cuboid
