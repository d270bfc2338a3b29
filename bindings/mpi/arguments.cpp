#include "bindings/mpi/arguments.hpp"

#include "bindings/mpi/elements.hpp"
#include "bindings/mpi/types.hpp"

#include <algorithm>

namespace cuboid::detail::drop_in {

namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = MPI_PROC_NULL;
  if (comm != MPI_COMM_NULL) PMPI_Comm_rank(comm, &rank);
  return rank;
}

/// In an intercommunicator MPI uses other arguments than the functions below read.
bool is_inter(MPI_Comm comm) {
  int inter = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

}  // namespace

std::size_t times_ranks(std::size_t block_bytes, MPI_Comm comm) {
  return block_bytes == 0 ? 0 : block_bytes * static_cast<std::size_t>(size_of(comm));
}

std::size_t bytes_of_all(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  if (counts == nullptr || type == MPI_DATATYPE_NULL || is_inter(comm)) return 0;
  const std::size_t one = bytes_of(1, type);
  const int ranks = size_of(comm);
  std::size_t elements = 0;
  for (int rank = 0; rank < ranks; ++rank)
    elements += static_cast<std::size_t>(std::max(counts[rank], 0));
  return elements * one;
}

std::size_t bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                            int root_count, MPI_Datatype root_type) {
  if (is_inter(comm)) return 0;
  const bool is_root = rank_in(comm) == root;
  return times_ranks(is_root ? bytes_of(root_count, root_type) : bytes_of(own_count, own_type),
                     comm);
}

std::size_t own_bytes_of_rooted(int root, MPI_Comm comm, int own_count, MPI_Datatype own_type,
                                const int* root_counts, MPI_Datatype root_type) {
  if (is_inter(comm)) return 0;
  return rank_in(comm) == root ? bytes_of_all(root_counts, root_type, comm)
                               : bytes_of(own_count, own_type);
}

std::size_t own_bytes_of_alltoall(const int* send_counts, MPI_Datatype send_type,
                                  const int* receive_counts, MPI_Datatype receive_type,
                                  MPI_Comm comm) {
  return std::max(bytes_of_all(send_counts, send_type, comm),
                  bytes_of_all(receive_counts, receive_type, comm));
}

bool is_rank(int root, const CallingRank& here) {
  return root >= 0 && root < here.size;
}

bool valid(int count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL && is_committed(type);
}

bool valid(const int* counts, MPI_Datatype type, const CallingRank& here) {
  return counts != nullptr && type != MPI_DATATYPE_NULL &&
         std::all_of(counts, counts + here.size, [](int count) { return count >= 0; }) &&
         is_committed(type);
}

bool in_place(const void* buffer) {
  return buffer == MPI_IN_PLACE;
}

bool reducible(MPI_Op op, MPI_Datatype type, const CallingRank& here) {
  if (here.life == ByteBlocks::Life::request && is_user_operation(op)) return false;
  return elements_for(op, type).has_value();
}

std::span<const int> all_of(const int* counts, const CallingRank& here) {
  return {counts, static_cast<std::size_t>(here.size)};
}

}  // namespace cuboid::detail::drop_in
