#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "bindings/mpi/blocks.hpp"

#include <functional>
#include <span>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// A call of MPI as Cuboid executes it. It owns the memory and the types that the call needs. It
/// can be started again once it has finished.
struct Job {
  /// Reads the program's memory and starts the call. Every rank of the communicator starts the same
  /// call.
  std::function<Request(const Communicator&)> start;
  /// Copies the result to the program's memory once the request is complete; may be empty.
  std::function<void()> finish;
};

/// One side of a call, as the program passes it.
struct ProgramBuffer {
  void* buffer;
  int count;
  MPI_Datatype type;
};

/// One side of a call with a block per rank. `displacements` is empty if blocks are adjacent.
struct MessageBlocks {
  void* buffer;
  std::span<const int> counts;
  std::span<const int> displacements;
  MPI_Datatype type;
};

/// This rank in a communicator, and the lifetime of the call.
struct CallingRank {
  int rank;
  int size;
  ByteBlocks::Life life;
};

/// The ranks whose elements a rank receives combined: in MPI_Allreduce all, in MPI_Scan those up to
/// itself, in MPI_Exscan those before it. In MPI_Exscan rank 0's receive buffer is not used.
enum class Combining { all, up_to_own, before };

// One function for each kind of collective, with MPI's arguments. The arguments must be valid, and
// elements_for() must know the arguments of reductions. Arguments that MPI calls not significant at
// this rank are not read.
Job barrier_job();
Job bcast_job(const CallingRank& here, ProgramBuffer message, int root);
Job reduce_job(const CallingRank& here, const void* send, void* receive, int count,
               MPI_Datatype type, MPI_Op op, int root);
Job combining_job(const CallingRank& here, Combining form, const void* send, void* receive,
                  int count, MPI_Datatype type, MPI_Op op);
Job reduce_scatter_job(const CallingRank& here, const void* send, void* receive,
                       std::span<const int> counts, MPI_Datatype type, MPI_Op op);
Job allgather_job(const CallingRank& here, ProgramBuffer send, MessageBlocks receive);
Job gather_job(const CallingRank& here, ProgramBuffer send, MessageBlocks receive, int root);
Job scatter_job(const CallingRank& here, MessageBlocks send, ProgramBuffer receive, int root);
Job alltoall_job(const CallingRank& here, MessageBlocks send, MessageBlocks receive,
                 bool equal_blocks);

}  // namespace cuboid::detail::drop_in
