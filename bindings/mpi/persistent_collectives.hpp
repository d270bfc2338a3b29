#pragma once

#include <mpi.h>

namespace cuboid::detail::drop_in {

// MPI_Bcast_init and its like (MPI 4.0, §6.13).

int barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request);
int bcast_init(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
               MPI_Request* request);
int reduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Info info, MPI_Request* request);
int allreduce_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request);
int scan_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm, MPI_Info info, MPI_Request* request);
int exscan_init(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, MPI_Info info, MPI_Request* request);
int reduce_scatter_init(const void* send, void* receive, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
int reduce_scatter_block_init(const void* send, void* receive, int count, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request);
int allgather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                   int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                   MPI_Request* request);
int allgatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int* counts, const int* displacements, MPI_Datatype receive_type,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request);
int gather_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                MPI_Info info, MPI_Request* request);
int gatherv_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
                 MPI_Comm comm, MPI_Info info, MPI_Request* request);
int scatter_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                 MPI_Info info, MPI_Request* request);
int scatterv_init(const void* send, const int* counts, const int* displacements,
                  MPI_Datatype send_type, void* receive, int receive_count,
                  MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request);
int alltoall_init(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Info info,
                  MPI_Request* request);
int alltoallv_init(const void* send, const int* send_counts, const int* send_displacements,
                   MPI_Datatype send_type, void* receive, const int* receive_counts,
                   const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request);

}  // namespace cuboid::detail::drop_in
