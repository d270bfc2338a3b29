#include "bindings/mpi/persistent_collectives.hpp"

#include "bindings/mpi/calls.hpp"
#include "bindings/mpi/persistent_names.hpp"
#include "bindings/mpi/serve.hpp"

namespace cuboid::detail::drop_in {

namespace {

/// Serves the creation of a persistent call, or else calls `native`.
template <class Native>
auto persistent(MPI_Comm comm, MPI_Request* request, Native native) {
  return [comm, request, native](Called called, std::size_t bytes, auto valid_here, auto make_job) {
    return serve_persistent(called, bytes, comm, request, valid_here, make_job, native);
  };
}

}  // namespace

int barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_barrier(
      persistent(comm, request, [=] { return CUBOID_NATIVE(Barrier_init)(comm, info, request); }));
}

int bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request) {
  return with_bcast(buffer, count, type, root, persistent(comm, request, [=] {
                      return CUBOID_NATIVE(Bcast_init)(buffer, count, type, root, comm, info,
                                                       request);
                    }));
}

int reduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_reduce(send, receive, count, type, op, root, persistent(comm, request, [=] {
                       return CUBOID_NATIVE(Reduce_init)(send, receive, count, type, op, root, comm,
                                                         info, request);
                     }));
}

int allreduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_combining(
      Called::allreduce, send, receive, count, type, op, persistent(comm, request, [=] {
        return CUBOID_NATIVE(Allreduce_init)(send, receive, count, type, op, comm, info, request);
      }));
}

int scan_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_combining(
      Called::scan, send, receive, count, type, op, persistent(comm, request, [=] {
        return CUBOID_NATIVE(Scan_init)(send, receive, count, type, op, comm, info, request);
      }));
}

int exscan_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_combining(
      Called::exscan, send, receive, count, type, op, persistent(comm, request, [=] {
        return CUBOID_NATIVE(Exscan_init)(send, receive, count, type, op, comm, info, request);
      }));
}

int reduce_scatter_init(const void* send, void* receive, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_reduce_scatter(send, receive, counts, type, op, comm, persistent(comm, request, [=] {
                               return CUBOID_NATIVE(Reduce_scatter_init)(
                                   send, receive, counts, type, op, comm, info, request);
                             }));
}

int reduce_scatter_block_init(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_reduce_scatter_block(send, receive, count, type, op, comm,
                                   persistent(comm, request, [=] {
                                     return CUBOID_NATIVE(Reduce_scatter_block_init)(
                                         send, receive, count, type, op, comm, info, request);
                                   }));
}

int allgather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request) {
  return with_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        persistent(comm, request, [=] {
                          return CUBOID_NATIVE(Allgather_init)(send, send_count, send_type, receive,
                                                               receive_count, receive_type, comm,
                                                               info, request);
                        }));
}

int allgatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* counts, const int* displacements, MPI_Datatype receive_type,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_allgatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                         comm, persistent(comm, request, [=] {
                           return CUBOID_NATIVE(Allgatherv_init)(send, send_count, send_type,
                                                                 receive, counts, displacements,
                                                                 receive_type, comm, info, request);
                         }));
}

int gather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                MPI_Info info, MPI_Request* request) {
  return with_gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                     persistent(comm, request, [=] {
                       return CUBOID_NATIVE(Gather_init)(send, send_count, send_type, receive,
                                                         receive_count, receive_type, root, comm,
                                                         info, request);
                     }));
}

int gatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return with_gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                      root, comm, persistent(comm, request, [=] {
                        return CUBOID_NATIVE(Gatherv_init)(send, send_count, send_type, receive,
                                                           counts, displacements, receive_type,
                                                           root, comm, info, request);
                      }));
}

int scatter_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request) {
  return with_scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                      persistent(comm, request, [=] {
                        return CUBOID_NATIVE(Scatter_init)(send, send_count, send_type, receive,
                                                           receive_count, receive_type, root, comm,
                                                           info, request);
                      }));
}

int scatterv_init(const void* send, const int* counts, const int* displacements,
                  MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return with_scatterv(send, counts, displacements, send_type, receive, receive_count, receive_type,
                       root, comm, persistent(comm, request, [=] {
                         return CUBOID_NATIVE(Scatterv_init)(send, counts, displacements, send_type,
                                                             receive, receive_count, receive_type,
                                                             root, comm, info, request);
                       }));
}

int alltoall_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request) {
  return with_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                       persistent(comm, request, [=] {
                         return CUBOID_NATIVE(Alltoall_init)(send, send_count, send_type, receive,
                                                             receive_count, receive_type, comm,
                                                             info, request);
                       }));
}

int alltoallv_init(const void* send, const int* send_counts, const int* send_displacements,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
  return with_alltoallv(send, send_counts, send_displacements, send_type, receive, receive_counts,
                        receive_displacements, receive_type, comm, persistent(comm, request, [=] {
                          return CUBOID_NATIVE(Alltoallv_init)(
                              send, send_counts, send_displacements, send_type, receive,
                              receive_counts, receive_displacements, receive_type, comm, info,
                              request);
                        }));
}

}  // namespace cuboid::detail::drop_in
