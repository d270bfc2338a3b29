#pragma once

#include <mpi.h>

namespace cuboid::detail::drop_in {

// MPI's C functions and Fortran's subroutines both call these, with MPI's arguments and codes.

int barrier(MPI_Comm comm);
int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm);
int allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm);
int scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int reduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm);
int reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm);
int allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm);
int allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               const int* counts, const int* displacements, MPI_Datatype receive_type,
               MPI_Comm comm);
int gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
           int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
            MPI_Comm comm);
int scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int scatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
             void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, MPI_Comm comm);
int alltoallv(const void* send, const int* send_counts, const int* send_displacements,
              MPI_Datatype send_type, void* receive, const int* receive_counts,
              const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm);

int ibarrier(MPI_Comm comm, MPI_Request* request);
int ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
           MPI_Request* request);
int ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm, MPI_Request* request);
int iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm, MPI_Request* request);
int iscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
          MPI_Request* request);
int iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            MPI_Request* request);
int ireduce_scatter(const void* send, void* receive, const int* counts, MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm, MPI_Request* request);
int ireduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request);
int iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
               int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request);
int iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                const int* counts, const int* displacements, MPI_Datatype receive_type,
                MPI_Comm comm, MPI_Request* request);
int igather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
            int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
            MPI_Request* request);
int igatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             const int* counts, const int* displacements, MPI_Datatype receive_type, int root,
             MPI_Comm comm, MPI_Request* request);
int iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
             int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
             MPI_Request* request);
int iscatterv(const void* send, const int* counts, const int* displacements, MPI_Datatype send_type,
              void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
              MPI_Request* request);
int ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
              int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request);
int ialltoallv(const void* send, const int* send_counts, const int* send_displacements,
               MPI_Datatype send_type, void* receive, const int* receive_counts,
               const int* receive_displacements, MPI_Datatype receive_type, MPI_Comm comm,
               MPI_Request* request);

}  // namespace cuboid::detail::drop_in
