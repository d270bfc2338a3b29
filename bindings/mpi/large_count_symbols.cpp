// waits, in this file: the program calls MPI, which waits as it does
#include "bindings/mpi/collectives.hpp"

#include <limits>

#include <mpi.h>

// MPI 4's functions with counts of 64 bits, which some callers (mpi4py) use for all lengths. Counts
// that do not fit into an int belong to calls that are too long for Cuboid on all ranks. The native
// MPI serves functions with lists of counts.

#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))

namespace drop_in = cuboid::detail::drop_in;

namespace {

bool fits(MPI_Count count) {
  return count >= std::numeric_limits<int>::min() && count <= std::numeric_limits<int>::max();
}

int as_int(MPI_Count count) {
  return static_cast<int>(count);
}

}  // namespace

CUBOID_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                              MPI_Comm comm) {
  if (!fits(count)) return PMPI_Bcast_c(buffer, count, type, root, comm);
  return drop_in::bcast(buffer, as_int(count), type, root, comm);
}

CUBOID_EXPORT int MPI_Reduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                               MPI_Op op, int root, MPI_Comm comm) {
  if (!fits(count)) return PMPI_Reduce_c(send, receive, count, type, op, root, comm);
  return drop_in::reduce(send, receive, as_int(count), type, op, root, comm);
}

CUBOID_EXPORT int MPI_Allreduce_c(const void* send, void* receive, MPI_Count count,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!fits(count)) return PMPI_Allreduce_c(send, receive, count, type, op, comm);
  return drop_in::allreduce(send, receive, as_int(count), type, op, comm);
}

CUBOID_EXPORT int MPI_Reduce_scatter_block_c(const void* send, void* receive, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!fits(count)) return PMPI_Reduce_scatter_block_c(send, receive, count, type, op, comm);
  return drop_in::reduce_scatter_block(send, receive, as_int(count), type, op, comm);
}

CUBOID_EXPORT int MPI_Allgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                  MPI_Comm comm) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Allgather_c(send, send_count, send_type, receive, receive_count, receive_type,
                            comm);
  return drop_in::allgather(send, as_int(send_count), send_type, receive, as_int(receive_count),
                            receive_type, comm);
}

CUBOID_EXPORT int MPI_Gather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                               void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                               int root, MPI_Comm comm) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Gather_c(send, send_count, send_type, receive, receive_count, receive_type, root,
                         comm);
  return drop_in::gather(send, as_int(send_count), send_type, receive, as_int(receive_count),
                         receive_type, root, comm);
}

CUBOID_EXPORT int MPI_Scatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                int root, MPI_Comm comm) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Scatter_c(send, send_count, send_type, receive, receive_count, receive_type, root,
                          comm);
  return drop_in::scatter(send, as_int(send_count), send_type, receive, as_int(receive_count),
                          receive_type, root, comm);
}

CUBOID_EXPORT int MPI_Alltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                 void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                 MPI_Comm comm) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Alltoall_c(send, send_count, send_type, receive, receive_count, receive_type, comm);
  return drop_in::alltoall(send, as_int(send_count), send_type, receive, as_int(receive_count),
                           receive_type, comm);
}

CUBOID_EXPORT int MPI_Scan_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  if (!fits(count)) return PMPI_Scan_c(send, receive, count, type, op, comm);
  return drop_in::scan(send, receive, as_int(count), type, op, comm);
}

CUBOID_EXPORT int MPI_Exscan_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm) {
  if (!fits(count)) return PMPI_Exscan_c(send, receive, count, type, op, comm);
  return drop_in::exscan(send, receive, as_int(count), type, op, comm);
}

CUBOID_EXPORT int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                               MPI_Comm comm, MPI_Request* request) {
  if (!fits(count)) return PMPI_Ibcast_c(buffer, count, type, root, comm, request);
  return drop_in::ibcast(buffer, as_int(count), type, root, comm, request);
}

CUBOID_EXPORT int MPI_Ireduce_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  if (!fits(count)) return PMPI_Ireduce_c(send, receive, count, type, op, root, comm, request);
  return drop_in::ireduce(send, receive, as_int(count), type, op, root, comm, request);
}

CUBOID_EXPORT int MPI_Iallreduce_c(const void* send, void* receive, MPI_Count count,
                                   MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                   MPI_Request* request) {
  if (!fits(count)) return PMPI_Iallreduce_c(send, receive, count, type, op, comm, request);
  return drop_in::iallreduce(send, receive, as_int(count), type, op, comm, request);
}

CUBOID_EXPORT int MPI_Ireduce_scatter_block_c(const void* send, void* receive, MPI_Count count,
                                              MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                              MPI_Request* request) {
  if (!fits(count))
    return PMPI_Ireduce_scatter_block_c(send, receive, count, type, op, comm, request);
  return drop_in::ireduce_scatter_block(send, receive, as_int(count), type, op, comm, request);
}

CUBOID_EXPORT int MPI_Iallgather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                   void* receive, MPI_Count receive_count,
                                   MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Iallgather_c(send, send_count, send_type, receive, receive_count, receive_type,
                             comm, request);
  return drop_in::iallgather(send, as_int(send_count), send_type, receive, as_int(receive_count),
                             receive_type, comm, request);
}

CUBOID_EXPORT int MPI_Igather_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                int root, MPI_Comm comm, MPI_Request* request) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Igather_c(send, send_count, send_type, receive, receive_count, receive_type, root,
                          comm, request);
  return drop_in::igather(send, as_int(send_count), send_type, receive, as_int(receive_count),
                          receive_type, root, comm, request);
}

CUBOID_EXPORT int MPI_Iscatter_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                 void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                 int root, MPI_Comm comm, MPI_Request* request) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Iscatter_c(send, send_count, send_type, receive, receive_count, receive_type, root,
                           comm, request);
  return drop_in::iscatter(send, as_int(send_count), send_type, receive, as_int(receive_count),
                           receive_type, root, comm, request);
}

CUBOID_EXPORT int MPI_Ialltoall_c(const void* send, MPI_Count send_count, MPI_Datatype send_type,
                                  void* receive, MPI_Count receive_count, MPI_Datatype receive_type,
                                  MPI_Comm comm, MPI_Request* request) {
  if (!fits(send_count) || !fits(receive_count))
    return PMPI_Ialltoall_c(send, send_count, send_type, receive, receive_count, receive_type, comm,
                            request);
  return drop_in::ialltoall(send, as_int(send_count), send_type, receive, as_int(receive_count),
                            receive_type, comm, request);
}

CUBOID_EXPORT int MPI_Iscan_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  if (!fits(count)) return PMPI_Iscan_c(send, receive, count, type, op, comm, request);
  return drop_in::iscan(send, receive, as_int(count), type, op, comm, request);
}

CUBOID_EXPORT int MPI_Iexscan_c(const void* send, void* receive, MPI_Count count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  if (!fits(count)) return PMPI_Iexscan_c(send, receive, count, type, op, comm, request);
  return drop_in::iexscan(send, receive, as_int(count), type, op, comm, request);
}
