#include "bindings/mpi/persistent_collectives.hpp"
#include "bindings/mpi/persistent_names.hpp"
#include "bindings/mpi/persistent_requests.hpp"

#include <mpi.h>

#define CUBOID_EXPORT extern "C" __attribute__((visibility("default")))

namespace drop_in = cuboid::detail::drop_in;

CUBOID_EXPORT int CUBOID_NAME(Barrier_init)(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return drop_in::barrier_init(comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Bcast_init)(void* buffer, int count, MPI_Datatype type, int root,
                                          MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return drop_in::bcast_init(buffer, count, type, root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Reduce_init)(const void* send, void* receive, int count,
                                           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                                           MPI_Info info, MPI_Request* request) {
  return drop_in::reduce_init(send, receive, count, type, op, root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Allreduce_init)(const void* send, void* receive, int count,
                                              MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                              MPI_Info info, MPI_Request* request) {
  return drop_in::allreduce_init(send, receive, count, type, op, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Scan_init)(const void* send, void* receive, int count,
                                         MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                         MPI_Request* request) {
  return drop_in::scan_init(send, receive, count, type, op, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Exscan_init)(const void* send, void* receive, int count,
                                           MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                           MPI_Info info, MPI_Request* request) {
  return drop_in::exscan_init(send, receive, count, type, op, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Reduce_scatter_init)(const void* send, void* receive,
                                                   const int* counts, MPI_Datatype type, MPI_Op op,
                                                   MPI_Comm comm, MPI_Info info,
                                                   MPI_Request* request) {
  return drop_in::reduce_scatter_init(send, receive, counts, type, op, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Reduce_scatter_block_init)(const void* send, void* receive, int count,
                                                         MPI_Datatype type, MPI_Op op,
                                                         MPI_Comm comm, MPI_Info info,
                                                         MPI_Request* request) {
  return drop_in::reduce_scatter_block_init(send, receive, count, type, op, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Allgather_init)(const void* send, int send_count,
                                              MPI_Datatype send_type, void* receive,
                                              int receive_count, MPI_Datatype receive_type,
                                              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return drop_in::allgather_init(send, send_count, send_type, receive, receive_count, receive_type,
                                 comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Allgatherv_init)(const void* send, int send_count,
                                               MPI_Datatype send_type, void* receive,
                                               const int* counts, const int* displacements,
                                               MPI_Datatype receive_type, MPI_Comm comm,
                                               MPI_Info info, MPI_Request* request) {
  return drop_in::allgatherv_init(send, send_count, send_type, receive, counts, displacements,
                                  receive_type, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Gather_init)(const void* send, int send_count, MPI_Datatype send_type,
                                           void* receive, int receive_count,
                                           MPI_Datatype receive_type, int root, MPI_Comm comm,
                                           MPI_Info info, MPI_Request* request) {
  return drop_in::gather_init(send, send_count, send_type, receive, receive_count, receive_type,
                              root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Gatherv_init)(const void* send, int send_count,
                                            MPI_Datatype send_type, void* receive,
                                            const int* counts, const int* displacements,
                                            MPI_Datatype receive_type, int root, MPI_Comm comm,
                                            MPI_Info info, MPI_Request* request) {
  return drop_in::gatherv_init(send, send_count, send_type, receive, counts, displacements,
                               receive_type, root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Scatter_init)(const void* send, int send_count,
                                            MPI_Datatype send_type, void* receive,
                                            int receive_count, MPI_Datatype receive_type, int root,
                                            MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return drop_in::scatter_init(send, send_count, send_type, receive, receive_count, receive_type,
                               root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Scatterv_init)(const void* send, const int* counts,
                                             const int* displacements, MPI_Datatype send_type,
                                             void* receive, int receive_count,
                                             MPI_Datatype receive_type, int root, MPI_Comm comm,
                                             MPI_Info info, MPI_Request* request) {
  return drop_in::scatterv_init(send, counts, displacements, send_type, receive, receive_count,
                                receive_type, root, comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Alltoall_init)(const void* send, int send_count,
                                             MPI_Datatype send_type, void* receive,
                                             int receive_count, MPI_Datatype receive_type,
                                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return drop_in::alltoall_init(send, send_count, send_type, receive, receive_count, receive_type,
                                comm, info, request);
}

CUBOID_EXPORT int CUBOID_NAME(Alltoallv_init)(const void* send, const int* send_counts,
                                              const int* send_displacements, MPI_Datatype send_type,
                                              void* receive, const int* receive_counts,
                                              const int* receive_displacements,
                                              MPI_Datatype receive_type, MPI_Comm comm,
                                              MPI_Info info, MPI_Request* request) {
  return drop_in::alltoallv_init(send, send_counts, send_displacements, send_type, receive,
                                 receive_counts, receive_displacements, receive_type, comm, info,
                                 request);
}

CUBOID_EXPORT int MPI_Start(MPI_Request* request) {
  return drop_in::start_request(request);
}

CUBOID_EXPORT int MPI_Startall(int count, MPI_Request* requests) {
  return drop_in::start_requests(count, requests);
}

CUBOID_EXPORT int MPI_Request_free(MPI_Request* request) {
  return drop_in::free_request(request);
}

// These functions' own addresses, whoever else defines functions of MPI's names.
extern "C" {
__attribute__((visibility("hidden"), alias("MPI_Start"))) decltype(MPI_Start) cuboid_start;
__attribute__((visibility("hidden"), alias("MPI_Startall"))) decltype(MPI_Startall) cuboid_startall;
__attribute__((visibility("hidden"),
               alias("MPI_Request_free"))) decltype(MPI_Request_free) cuboid_request_free;
}

bool drop_in::starts_requests() {
  return &MPI_Start == &cuboid_start && &MPI_Startall == &cuboid_startall &&
         &MPI_Request_free == &cuboid_request_free;
}
