#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Sends block j of every rank i to rank j, where it becomes block i. Collective. Throws as every
/// collective (see Communicator).
/// @param input   size() blocks of equal length; same count and type on every rank.
/// @param output  as many elements as `input`; must not overlap it.
CUBOID_API void alltoall(const Communicator& communicator, ConstBuffer input, Buffer output);
/// alltoall() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_alltoall(const Communicator& communicator, ConstBuffer input,
                                  Buffer output, OnStream after = {});
/// A plan of alltoall() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_alltoall(const Communicator& communicator, ConstBuffer input,
                                        Buffer output);

/// The blocks that one rank exchanges with each peer: number of elements and offset of each block,
/// by rank, in elements. Empty displacements: blocks lie one after the other. A view: the lists are
/// the caller's, and need to live only during the call that they are passed to.
struct Blocks {
  std::span<const std::size_t> counts;
  std::span<const std::size_t> displacements = {};
};

/// alltoall() with blocks of different lengths. send.counts[j] on rank i must equal
/// receive.counts[i] on rank j. Collective.
/// @param input    holds the blocks of `send`; same type on every rank.
/// @param output   holds the blocks of `receive`; must not overlap `input`.
/// Throws as alltoall(), and Error(invalid_argument) if a list has not size() numbers or a block
/// leaves its buffer.
CUBOID_API void alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                          Buffer output, Blocks receive);
/// alltoallv() without waiting: returns a request; the buffers belong to it until it is complete.
CUBOID_API Request start_alltoallv(const Communicator& communicator, ConstBuffer input, Blocks send,
                                   Buffer output, Blocks receive, OnStream after = {});
/// A plan of alltoallv() on these buffers, ready to run many times.
CUBOID_API CollectivePlan plan_alltoallv(const Communicator& communicator, ConstBuffer input,
                                         Blocks send, Buffer output, Blocks receive);

}  // namespace cuboid
