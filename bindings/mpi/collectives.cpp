// waits, in this file: the program calls MPI, which waits as it does
#include "bindings/mpi/collectives.hpp"

#include "bindings/dropin/fast_pass_through.hpp"
#include "bindings/mpi/calls.hpp"
#include "bindings/mpi/serve.hpp"

namespace cuboid::detail::drop_in {

namespace {

/// Serves a blocking call, or else calls `native`.
template <class Native>
auto blocking(MPI_Comm comm, Native native) {
  fast_pass_through.learn();
  return [comm, native](Called called, std::size_t bytes, auto valid_here, auto make_job) {
    return serve(called, bytes, comm, valid_here, make_job, native);
  };
}

}  // namespace

int barrier(MPI_Comm comm) {
  return with_barrier(blocking(comm, [=] { return PMPI_Barrier(comm); }));
}
int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return with_bcast(buffer, count, type, root,
                    blocking(comm, [=] { return PMPI_Bcast(buffer, count, type, root, comm); }));
}

int reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return with_reduce(send, receive, count, type, op, root, blocking(comm, [=] {
                       return PMPI_Reduce(send, receive, count, type, op, root, comm);
                     }));
}

int allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  return with_combining(Called::allreduce, send, receive, count, type, op, blocking(comm, [=] {
                          return PMPI_Allreduce(send, receive, count, type, op, comm);
                        }));
}

int scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return with_combining(Called::scan, send, receive, count, type, op, blocking(comm, [=] {
                          return PMPI_Scan(send, receive, count, type, op, comm);
                        }));
}

int exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm) {
  return with_combining(Called::exscan, send, receive, count, type, op, blocking(comm, [=] {
                          return PMPI_Exscan(send, receive, count, type, op, comm);
                        }));
}

int reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return with_reduce_scatter(send, receive, counts, type, op, comm, blocking(comm, [=] {
                               return PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
                             }));
}

int reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  return with_reduce_scatter_block(send, receive, count, type, op, comm, blocking(comm, [=] {
                                     return PMPI_Reduce_scatter_block(send, receive, count, type,
                                                                      op, comm);
                                   }));
}

int allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        blocking(comm, [=] {
                          return PMPI_Allgather(send, send_count, send_type, receive, receive_count,
                                                receive_type, comm);
                        }));
}

int allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               const int* counts, const int* displacements, MPI_Datatype receive_type,
               MPI_Comm comm) {
  return with_allgatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                         comm, blocking(comm, [=] {
                           return PMPI_Allgatherv(send, send_count, send_type, receive, counts,
                                                  displacements, receive_type, comm);
                         }));
}

int gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
           int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                     blocking(comm, [=] {
                       return PMPI_Gather(send, send_count, send_type, receive, receive_count,
                                          receive_type, root, comm);
                     }));
}

int gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
            MPI_Comm comm) {
  return with_gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                      root, comm, blocking(comm, [=] {
                        return PMPI_Gatherv(send, send_count, send_type, receive, counts,
                                            displacements, receive_type, root, comm);
                      }));
}

int scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                      blocking(comm, [=] {
                        return PMPI_Scatter(send, send_count, send_type, receive, receive_count,
                                            receive_type, root, comm);
                      }));
}

int scatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
             void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return with_scatterv(send, counts, displacements, send_type, receive, receive_count, receive_type,
                       root, comm, blocking(comm, [=] {
                         return PMPI_Scatterv(send, counts, displacements, send_type, receive,
                                              receive_count, receive_type, root, comm);
                       }));
}

int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                       blocking(comm, [=] {
                         return PMPI_Alltoall(send, send_count, send_type, receive, receive_count,
                                              receive_type, comm);
                       }));
}

int alltoallv(const void* send, const int* send_counts, const int* send_displacements,
              MPI_Datatype send_type, void* receive, const int* receive_counts,
              const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm) {
  return with_alltoallv(send, send_counts, send_displacements, send_type, receive, receive_counts,
                        receive_displacements, receive_type, comm, blocking(comm, [=] {
                          return PMPI_Alltoallv(send, send_counts, send_displacements, send_type,
                                                receive, receive_counts, receive_displacements,
                                                receive_type, comm);
                        }));
}

}  // namespace cuboid::detail::drop_in
