#pragma once

#include "bindings/mpi/job.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include <mpi.h>

namespace cuboid::detail::drop_in {

inline void* writable(const void* data) {
  return const_cast<void*>(data);
}

// The length in bytes of a call, which all ranks know alike; 0 if the arguments are invalid. In an
// intercommunicator MPI uses other arguments than these functions read.

/// The bytes of all blocks if each rank has a block of `block_bytes` bytes.
std::size_t times_ranks(std::size_t block_bytes, MPI_Comm comm);
std::size_t bytes_of_all(const int* counts, MPI_Datatype type, MPI_Comm comm);
/// The bytes of a gather or scatter. The root computes the length from the arguments for all
/// blocks, and every other rank from the arguments for its own block.
std::size_t bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                            int root_count, MPI_Datatype root_type);

// This rank's bytes of a call whose length no rank knows alone.

std::size_t own_bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                                const int* root_counts, MPI_Datatype root_type);
/// @param send_counts  nullptr if the call is in place
std::size_t own_bytes_of_alltoall(const int* send_counts, MPI_Datatype send_type,
                                  const int* receive_counts, MPI_Datatype receive_type,
                                  MPI_Comm comm);

bool is_rank(int root, const CallingRank& here);
bool valid(int count, MPI_Datatype type);
bool valid(const int* counts, MPI_Datatype type, const CallingRank& here);
/// True if the argument is MPI_IN_PLACE. It has its meaning only on the sides for which MPI defines
/// it.
bool in_place(const void* buffer);
/// True if Cuboid can reduce these elements. False also if a pending request would use a
/// user-defined operation, because the program may free the operation and the drop-in cannot keep
/// it alive.
bool reducible(MPI_Op op, MPI_Datatype type, const CallingRank& here);

std::span<const int> all_of(const int* counts, const CallingRank& here);

/// Equal blocks as lists of counts and displacements.
class EqualBlocks {
 public:
  EqualBlocks(int count, const CallingRank& here)
      : counts_(static_cast<std::size_t>(here.size), count) {}
  MessageBlocks of(const void* buffer, MPI_Datatype type) const {
    return {writable(buffer), counts_, {}, type};
  }

 private:
  std::vector<int> counts_;
};

}  // namespace cuboid::detail::drop_in
