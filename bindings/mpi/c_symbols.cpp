// waits, in this file: the program calls MPI, which waits as it does
#include "bindings/dropin/fast_pass_through.hpp"
#include "bindings/mpi/collectives.hpp"
#include "bindings/mpi/freed_communicators.hpp"

#include <mpi.h>

// MPI's C functions. The program calls these instead of the functions of the native MPI.

#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))

namespace drop_in = cuboid::detail::drop_in;
using drop_in::Called, drop_in::fast_pass_through;

CUBOID_EXPORT int MPI_Barrier(MPI_Comm comm) {
  return drop_in::barrier(comm);
}

CUBOID_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (fast_pass_through.contains(Called::bcast, count, type, comm)) [[likely]]
    return PMPI_Bcast(buffer, count, type, root, comm);
  return drop_in::bcast(buffer, count, type, root, comm);
}

CUBOID_EXPORT int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm) {
  if (fast_pass_through.contains(Called::reduce, count, type, comm)) [[likely]]
    return PMPI_Reduce(send, receive, count, type, op, root, comm);
  return drop_in::reduce(send, receive, count, type, op, root, comm);
}

CUBOID_EXPORT int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm) {
  if (fast_pass_through.contains(Called::allreduce, count, type, comm)) [[likely]]
    return PMPI_Allreduce(send, receive, count, type, op, comm);
  return drop_in::allreduce(send, receive, count, type, op, comm);
}

CUBOID_EXPORT int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm) {
  if (fast_pass_through.contains(Called::scan, count, type, comm)) [[likely]]
    return PMPI_Scan(send, receive, count, type, op, comm);
  return drop_in::scan(send, receive, count, type, op, comm);
}

CUBOID_EXPORT int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm) {
  if (fast_pass_through.contains(Called::exscan, count, type, comm)) [[likely]]
    return PMPI_Exscan(send, receive, count, type, op, comm);
  return drop_in::exscan(send, receive, count, type, op, comm);
}

CUBOID_EXPORT int MPI_Reduce_scatter(const void* send, void* receive, const int* counts,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return drop_in::reduce_scatter(send, receive, counts, type, op, comm);
}

CUBOID_EXPORT int MPI_Reduce_scatter_block(const void* send, void* receive, int count,
                                           MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (fast_pass_through.contains_blocks(Called::reduce_scatter_block, count, type, comm)) [[likely]]
    return PMPI_Reduce_scatter_block(send, receive, count, type, op, comm);
  return drop_in::reduce_scatter_block(send, receive, count, type, op, comm);
}

CUBOID_EXPORT int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type,
                                void* receive, int receive_count, MPI_Datatype receive_type,
                                MPI_Comm comm) {
  if (fast_pass_through.contains_blocks(Called::allgather, receive_count, receive_type, comm))
      [[likely]]
    return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  return drop_in::allgather(send, send_count, send_type, receive, receive_count, receive_type,
                            comm);
}

CUBOID_EXPORT int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type,
                                 void* receive, const int* counts, const int* displacements,
                                 MPI_Datatype receive_type, MPI_Comm comm) {
  return drop_in::allgatherv(send, send_count, send_type, receive, counts, displacements,
                             receive_type, comm);
}

CUBOID_EXPORT int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type,
                             void* receive, int receive_count, MPI_Datatype receive_type, int root,
                             MPI_Comm comm) {
  if (fast_pass_through.contains_rooted(Called::gather, send_count, send_type, receive_count,
                                        receive_type)) [[likely]]
    return PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root,
                       comm);
  return drop_in::gather(send, send_count, send_type, receive, receive_count, receive_type, root,
                         comm);
}

CUBOID_EXPORT int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, const int* counts, const int* displacements,
                              MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return drop_in::gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                          root, comm);
}

CUBOID_EXPORT int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, int receive_count, MPI_Datatype receive_type, int root,
                              MPI_Comm comm) {
  if (fast_pass_through.contains_rooted(Called::scatter, send_count, send_type, receive_count,
                                        receive_type)) [[likely]]
    return PMPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root,
                        comm);
  return drop_in::scatter(send, send_count, send_type, receive, receive_count, receive_type, root,
                          comm);
}

CUBOID_EXPORT int MPI_Scatterv(const void* send, const int* counts, const int* displacements,
                               MPI_Datatype send_type, void* receive, int receive_count,
                               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return drop_in::scatterv(send, counts, displacements, send_type, receive, receive_count,
                           receive_type, root, comm);
}

CUBOID_EXPORT int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type,
                               void* receive, int receive_count, MPI_Datatype receive_type,
                               MPI_Comm comm) {
  if (fast_pass_through.contains_blocks(Called::alltoall, receive_count, receive_type, comm))
      [[likely]]
    return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
  return drop_in::alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

CUBOID_EXPORT int MPI_Alltoallv(const void* send, const int* send_counts,
                                const int* send_displacements, MPI_Datatype send_type,
                                void* receive, const int* receive_counts,
                                const int* receive_displacements, MPI_Datatype receive_type,
                                MPI_Comm comm) {
  return drop_in::alltoallv(send, send_counts, send_displacements, send_type, receive,
                            receive_counts, receive_displacements, receive_type, comm);
}

CUBOID_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  return drop_in::comm_free(comm);
}

CUBOID_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return drop_in::ibarrier(comm, request);
}

CUBOID_EXPORT int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             MPI_Request* request) {
  return drop_in::ibcast(buffer, count, type, root, comm, request);
}

CUBOID_EXPORT int MPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return drop_in::ireduce(send, receive, count, type, op, root, comm, request);
}

CUBOID_EXPORT int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return drop_in::iallreduce(send, receive, count, type, op, comm, request);
}

CUBOID_EXPORT int MPI_Iscan(const void* send, void* receive, int count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return drop_in::iscan(send, receive, count, type, op, comm, request);
}

CUBOID_EXPORT int MPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return drop_in::iexscan(send, receive, count, type, op, comm, request);
}

CUBOID_EXPORT int MPI_Ireduce_scatter(const void* send, void* receive, const int* counts,
                                      MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                      MPI_Request* request) {
  return drop_in::ireduce_scatter(send, receive, counts, type, op, comm, request);
}

CUBOID_EXPORT int MPI_Ireduce_scatter_block(const void* send, void* receive, int count,
                                            MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                            MPI_Request* request) {
  return drop_in::ireduce_scatter_block(send, receive, count, type, op, comm, request);
}

CUBOID_EXPORT int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type,
                                 void* receive, int receive_count, MPI_Datatype receive_type,
                                 MPI_Comm comm, MPI_Request* request) {
  return drop_in::iallgather(send, send_count, send_type, receive, receive_count, receive_type,
                             comm, request);
}

CUBOID_EXPORT int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type,
                                  void* receive, const int* counts, const int* displacements,
                                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return drop_in::iallgatherv(send, send_count, send_type, receive, counts, displacements,
                              receive_type, comm, request);
}

CUBOID_EXPORT int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type,
                              void* receive, int receive_count, MPI_Datatype receive_type, int root,
                              MPI_Comm comm, MPI_Request* request) {
  return drop_in::igather(send, send_count, send_type, receive, receive_count, receive_type, root,
                          comm, request);
}

CUBOID_EXPORT int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type,
                               void* receive, const int* counts, const int* displacements,
                               MPI_Datatype receive_type, int root, MPI_Comm comm,
                               MPI_Request* request) {
  return drop_in::igatherv(send, send_count, send_type, receive, counts, displacements,
                           receive_type, root, comm, request);
}

CUBOID_EXPORT int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type,
                               void* receive, int receive_count, MPI_Datatype receive_type,
                               int root, MPI_Comm comm, MPI_Request* request) {
  return drop_in::iscatter(send, send_count, send_type, receive, receive_count, receive_type, root,
                           comm, request);
}

CUBOID_EXPORT int MPI_Iscatterv(const void* send, const int* counts, const int* displacements,
                                MPI_Datatype send_type, void* receive, int receive_count,
                                MPI_Datatype receive_type, int root, MPI_Comm comm,
                                MPI_Request* request) {
  return drop_in::iscatterv(send, counts, displacements, send_type, receive, receive_count,
                            receive_type, root, comm, request);
}

CUBOID_EXPORT int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type,
                                void* receive, int receive_count, MPI_Datatype receive_type,
                                MPI_Comm comm, MPI_Request* request) {
  return drop_in::ialltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                            request);
}

CUBOID_EXPORT int MPI_Ialltoallv(const void* send, const int* send_counts,
                                 const int* send_displacements, MPI_Datatype send_type,
                                 void* receive, const int* receive_counts,
                                 const int* receive_displacements, MPI_Datatype receive_type,
                                 MPI_Comm comm, MPI_Request* request) {
  return drop_in::ialltoallv(send, send_counts, send_displacements, send_type, receive,
                             receive_counts, receive_displacements, receive_type, comm, request);
}
