#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Concatenates the blocks of all ranks in rank order and returns the result on every rank.
/// Collective.
/// @param input   this rank's block; same count and type on every rank.
/// @param output  size() · input.count elements; in place: pass this rank's block of `output` as
///                `input`.
/// Throws as every collective (see Communicator). Any other overlap is an
/// Error(invalid_argument).
CUBOID_API void allgather(const Communicator& communicator, ConstBuffer input, Buffer output);
/// allgather() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_allgather(const Communicator& communicator, ConstBuffer input,
                                   Buffer output, OnStream after = {});
/// A plan of allgather() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_allgather(const Communicator& communicator, ConstBuffer input,
                                         Buffer output);

/// allgather() with blocks of different lengths. Collective.
/// @param counts         number of elements of each rank's block, by rank; the same on every rank.
/// @param displacements  offset of each block in `output`, in elements; empty: blocks lie one after
///                       the other.
/// Both lists are copied. Throws as allgather(), and Error(invalid_argument) if a list has not
/// size() numbers or a block leaves `output`.
CUBOID_API void allgatherv(const Communicator& communicator, ConstBuffer input, Buffer output,
                           std::span<const std::size_t> counts,
                           std::span<const std::size_t> displacements = {});
/// allgatherv() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_allgatherv(const Communicator& communicator, ConstBuffer input,
                                    Buffer output, std::span<const std::size_t> counts,
                                    std::span<const std::size_t> displacements = {},
                                    OnStream after = {});
/// A plan of allgatherv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_allgatherv(const Communicator& communicator, ConstBuffer input,
                                          Buffer output, std::span<const std::size_t> counts,
                                          std::span<const std::size_t> displacements = {});

}  // namespace cuboid
