#pragma once

#include <cuboid/buffer.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/export.hpp>
#include <cuboid/reduction.hpp>
#include <cuboid/request.hpp>

#include <cstddef>
#include <span>

namespace cuboid {

/// Waits until every rank of the communicator has called barrier(). Collective. Throws
/// Error(timeout) and Error(peer_failed) as Request::wait().
CUBOID_API void barrier(const Communicator& communicator);
/// barrier() without waiting: returns a request, which is complete when every rank has started it.
CUBOID_API Request start_barrier(const Communicator& communicator, OnStream after = {});
/// A plan of barrier(), ready to run many times.
CUBOID_API CollectivePlan plan_barrier(const Communicator& communicator);

/// Copies the root's elements to every rank. Collective.
/// @param buffer  read on the root, written on all other ranks; same count and type on every rank.
/// @param root    rank of the communicator; the same on every rank.
/// Throws as every collective (see Communicator).
CUBOID_API void broadcast(const Communicator& communicator, Buffer buffer, int root);
/// broadcast() without waiting: returns a request; the buffer belongs to it until it is complete.
CUBOID_API Request start_broadcast(const Communicator& communicator, Buffer buffer, int root,
                                   OnStream after = {});
/// A plan of broadcast() on this buffer, ready to run many times.
/// @param stream_length  a hint: the number of identical broadcasts (from any roots) that are in
///                       flight at the same time while the program computes. With a larger number,
///                       throughput and CPU time count more than latency. The same on every rank.
CUBOID_API CollectivePlan plan_broadcast(const Communicator& communicator, Buffer buffer, int root,
                                         int stream_length = 1);

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
