#include "bindings/mpi/calls.hpp"
#include "bindings/mpi/collectives.hpp"
#include "bindings/mpi/freed_communicators.hpp"
#include "bindings/mpi/serve.hpp"

namespace cuboid::detail::drop_in {

namespace {

/// Serves a non-blocking call, or else calls `native`.
template <class Native>
auto non_blocking(MPI_Comm comm, MPI_Request* request, Native native) {
  const auto noted_native = [native] {
    note_request_handed_on();
    return native();
  };
  return [comm, request, noted_native](Called called, std::size_t bytes, auto valid_here,
                                       auto make_job) {
    return serve(called, bytes, comm, request, valid_here, make_job, noted_native);
  };
}

}  // namespace

int ibarrier(MPI_Comm comm, MPI_Request* request) {
  return with_barrier(non_blocking(comm, request, [=] { return PMPI_Ibarrier(comm, request); }));
}

int ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request) {
  return with_bcast(buffer, count, type, root, non_blocking(comm, request, [=] {
                      return PMPI_Ibcast(buffer, count, type, root, comm, request);
                    }));
}

int ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request) {
  return with_reduce(send, receive, count, type, op, root, non_blocking(comm, request, [=] {
                       return PMPI_Ireduce(send, receive, count, type, op, root, comm, request);
                     }));
}

int iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return with_combining(Called::allreduce, send, receive, count, type, op,
                        non_blocking(comm, request, [=] {
                          return PMPI_Iallreduce(send, receive, count, type, op, comm, request);
                        }));
}

int iscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
          MPI_Request* request) {
  return with_combining(Called::scan, send, receive, count, type, op,
                        non_blocking(comm, request, [=] {
                          return PMPI_Iscan(send, receive, count, type, op, comm, request);
                        }));
}

int iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            MPI_Request* request) {
  return with_combining(Called::exscan, send, receive, count, type, op,
                        non_blocking(comm, request, [=] {
                          return PMPI_Iexscan(send, receive, count, type, op, comm, request);
                        }));
}

int ireduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return with_reduce_scatter(
      send, receive, counts, type, op, comm, non_blocking(comm, request, [=] {
        return PMPI_Ireduce_scatter(send, receive, counts, type, op, comm, request);
      }));
}

int ireduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
  return with_reduce_scatter_block(
      send, receive, count, type, op, comm, non_blocking(comm, request, [=] {
        return PMPI_Ireduce_scatter_block(send, receive, count, type, op, comm, request);
      }));
}

int iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return with_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm,
                        non_blocking(comm, request, [=] {
                          return PMPI_Iallgather(send, send_count, send_type, receive,
                                                 receive_count, receive_type, comm, request);
                        }));
}

int iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                const int* counts, const int* displacements, MPI_Datatype receive_type,
                MPI_Comm comm, MPI_Request* request) {
  return with_allgatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                         comm, non_blocking(comm, request, [=] {
                           return PMPI_Iallgatherv(send, send_count, send_type, receive, counts,
                                                   displacements, receive_type, comm, request);
                         }));
}

int igather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
            MPI_Request* request) {
  return with_gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                     non_blocking(comm, request, [=] {
                       return PMPI_Igather(send, send_count, send_type, receive, receive_count,
                                           receive_type, root, comm, request);
                     }));
}

int igatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
             MPI_Comm comm, MPI_Request* request) {
  return with_gatherv(send, send_count, send_type, receive, counts, displacements, receive_type,
                      root, comm, non_blocking(comm, request, [=] {
                        return PMPI_Igatherv(send, send_count, send_type, receive, counts,
                                             displacements, receive_type, root, comm, request);
                      }));
}

int iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
             MPI_Request* request) {
  return with_scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm,
                      non_blocking(comm, request, [=] {
                        return PMPI_Iscatter(send, send_count, send_type, receive, receive_count,
                                             receive_type, root, comm, request);
                      }));
}

int iscatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
              void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
              MPI_Request* request) {
  return with_scatterv(send, counts, displacements, send_type, receive, receive_count, receive_type,
                       root, comm, non_blocking(comm, request, [=] {
                         return PMPI_Iscatterv(send, counts, displacements, send_type, receive,
                                               receive_count, receive_type, root, comm, request);
                       }));
}

int ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return with_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm,
                       non_blocking(comm, request, [=] {
                         return PMPI_Ialltoall(send, send_count, send_type, receive, receive_count,
                                               receive_type, comm, request);
                       }));
}

int ialltoallv(const void* send, const int* send_counts, const int* send_displacements,
               MPI_Datatype send_type, void* receive, const int* receive_counts,
               const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
               MPI_Request* request) {
  return with_alltoallv(send, send_counts, send_displacements, send_type, receive, receive_counts,
                        receive_displacements, receive_type, comm, non_blocking(comm, request, [=] {
                          return PMPI_Ialltoallv(send, send_counts, send_displacements, send_type,
                                                 receive, receive_counts, receive_displacements,
                                                 receive_type, comm, request);
                        }));
}

}  // namespace cuboid::detail::drop_in
