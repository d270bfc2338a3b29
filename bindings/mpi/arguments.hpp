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

// The length of a call, which all ranks know alike; 0 where the arguments are not valid. In an
// intercommunicator other arguments are significant than these look at.

/// Of a block per rank.
std::size_t times_ranks(std::size_t block_bytes, MPI_Comm comm);
std::size_t bytes_of_all(const int* counts, MPI_Datatype type, MPI_Comm comm);
/// Of a gather or scatter: the root tells the length by the arguments of the side with all blocks,
/// the others by their own.
std::size_t bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                            int root_count, MPI_Datatype root_type);

// What this rank has of a call whose length no rank knows alone.

std::size_t own_bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                                const int* root_counts, MPI_Datatype root_type);
/// @param send_counts  nullptr in place.
std::size_t own_bytes_of_alltoall(const int* send_counts, MPI_Datatype send_type,
                                  const int* receive_counts, MPI_Datatype receive_type,
                                  MPI_Comm comm);

bool is_rank(int root, const Place& here);
bool valid(int count, MPI_Datatype type);
bool valid(const int* counts, MPI_Datatype type, const Place& here);
/// MPI_IN_PLACE stands for a side only where MPI has it so.
bool in_place(const void* buffer);
/// False also of a pending request's own operation: the program may free it, and it cannot be kept.
bool reducible(MPI_Op op, MPI_Datatype type, const Place& here);

std::span<const int> all_of(const int* counts, const Place& here);

/// Equal blocks, as lists.
class EqualBlocks {
 public:
  EqualBlocks(int count, const Place& here) : counts_(static_cast<std::size_t>(here.size), count) {}
  MessageBlocks of(const void* buffer, MPI_Datatype type) const {
    return {writable(buffer), counts_, {}, type};
  }

 private:
  std::vector<int> counts_;
};

}  // namespace cuboid::detail::drop_in
