#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/request.hpp>

#include "bindings/mpi/blocks.hpp"

#include <functional>
#include <span>

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// A call of MPI as Cuboid carries it out. It holds whatever memory and types the call needs.
struct Job {
  /// Starts it. Every rank of the communicator starts the same.
  std::function<Request(const Communicator&)> start;
  /// Brings the result to where the program wants it, once the request is complete; may be empty.
  std::function<void()> finish;
};

/// One side of a call, as the program passes it.
struct Message {
  void* buffer;
  int count;
  MPI_Datatype type;
};

/// The same with a block per rank; displacements empty where blocks lie one behind the other.
struct MessageBlocks {
  void* buffer;
  std::span<const int> counts;
  std::span<const int> displacements;
  MPI_Datatype type;
};

/// Where this rank stands in a communicator, and for how long the call lives.
struct Place {
  int rank;
  int size;
  Blocks::Life life;
};

// One for each collective, with the arguments of MPI's. Those of reductions must be such that
// elements_for() knows them; nothing else is asked of the arguments but to be valid. The sides that
// MPI calls not significant at this rank are not looked at.
Job barrier_job();
Job bcast_job(const Place& here, Message message, int root);
Job reduce_job(const Place& here, const void* send, void* receive, int count, MPI_Datatype type,
               MPI_Op op, int root);
Job allreduce_job(const Place& here, const void* send, void* receive, int count, MPI_Datatype type,
                  MPI_Op op);
/// exscan() where `inclusive` is false: what rank 0 receives into is not looked at.
Job scan_job(const Place& here, const void* send, void* receive, int count, MPI_Datatype type,
             MPI_Op op, bool inclusive);
Job reduce_scatter_job(const Place& here, const void* send, void* receive,
                       std::span<const int> counts, MPI_Datatype type, MPI_Op op);
Job allgather_job(const Place& here, Message send, MessageBlocks receive);
Job gather_job(const Place& here, Message send, MessageBlocks receive, int root);
Job scatter_job(const Place& here, MessageBlocks send, Message receive, int root);
Job alltoall_job(const Place& here, MessageBlocks send, MessageBlocks receive, bool equal_blocks);

}  // namespace cuboid::detail::drop_in
