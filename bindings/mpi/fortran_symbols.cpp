#include "bindings/mpi/collectives.hpp"
#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/freed_communicators.hpp"

#include <mpi.h>

namespace drop_in = cuboid::detail::drop_in;
using drop_in::address;
using drop_in::answer;

CUBOID_EXPORT void ompi_barrier_f(MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::barrier(PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(barrier, Barrier, BARRIER);

CUBOID_EXPORT void ompi_bcast_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,
                                MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::bcast(address(buffer), *count, PMPI_Type_f2c(*type), *root,
                               PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(bcast, Bcast, BCAST);

CUBOID_EXPORT void ompi_reduce_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                 MPI_Fint* op, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::reduce(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(reduce, Reduce, REDUCE);

CUBOID_EXPORT void ompi_allreduce_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                    MPI_Fint* op, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::allreduce(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                   PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(allreduce, Allreduce, ALLREDUCE);

CUBOID_EXPORT void ompi_scan_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                               MPI_Fint* op, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::scan(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                              PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(scan, Scan, SCAN);

CUBOID_EXPORT void ompi_exscan_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                 MPI_Fint* op, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::exscan(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(exscan, Exscan, EXSCAN);

CUBOID_EXPORT void ompi_reduce_scatter_f(void* send, void* receive, MPI_Fint* counts,
                                         MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                         MPI_Fint* error) {
  answer(error,
         drop_in::reduce_scatter(address(send), address(receive), counts, PMPI_Type_f2c(*type),
                                 PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(reduce_scatter, Reduce_scatter, REDUCE_SCATTER);

CUBOID_EXPORT void ompi_reduce_scatter_block_f(void* send, void* receive, MPI_Fint* count,
                                               MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                               MPI_Fint* error) {
  answer(error, drop_in::reduce_scatter_block(address(send), address(receive), *count,
                                              PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                                              PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(reduce_scatter_block, Reduce_scatter_block, REDUCE_SCATTER_BLOCK);

CUBOID_EXPORT void ompi_allgather_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                    void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                    MPI_Fint* comm, MPI_Fint* error) {
  answer(error,
         drop_in::allgather(address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive),
                            *receive_count, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(allgather, Allgather, ALLGATHER);

CUBOID_EXPORT void ompi_allgatherv_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                     void* receive, MPI_Fint* counts, MPI_Fint* displacements,
                                     MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::allgatherv(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                    address(receive), counts, displacements,
                                    PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(allgatherv, Allgatherv, ALLGATHERV);

CUBOID_EXPORT void ompi_gather_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                 void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                 MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::gather(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                address(receive), *receive_count, PMPI_Type_f2c(*receive_type),
                                *root, PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(gather, Gather, GATHER);

CUBOID_EXPORT void ompi_gatherv_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                  void* receive, MPI_Fint* counts, MPI_Fint* displacements,
                                  MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm,
                                  MPI_Fint* error) {
  answer(error, drop_in::gatherv(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                 address(receive), counts, displacements,
                                 PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(gatherv, Gatherv, GATHERV);

CUBOID_EXPORT void ompi_scatter_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                  void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                  MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::scatter(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                 address(receive), *receive_count, PMPI_Type_f2c(*receive_type),
                                 *root, PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(scatter, Scatter, SCATTER);

CUBOID_EXPORT void ompi_scatterv_f(void* send, MPI_Fint* counts, MPI_Fint* displacements,
                                   MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                                   MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm,
                                   MPI_Fint* error) {
  answer(error, drop_in::scatterv(address(send), counts, displacements, PMPI_Type_f2c(*send_type),
                                  address(receive), *receive_count, PMPI_Type_f2c(*receive_type),
                                  *root, PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(scatterv, Scatterv, SCATTERV);

CUBOID_EXPORT void ompi_alltoall_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                   void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                   MPI_Fint* comm, MPI_Fint* error) {
  answer(error,
         drop_in::alltoall(address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive),
                           *receive_count, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(alltoall, Alltoall, ALLTOALL);

CUBOID_EXPORT void ompi_alltoallv_f(void* send, MPI_Fint* send_counts, MPI_Fint* send_displacements,
                                    MPI_Fint* send_type, void* receive, MPI_Fint* receive_counts,
                                    MPI_Fint* receive_displacements, MPI_Fint* receive_type,
                                    MPI_Fint* comm, MPI_Fint* error) {
  answer(error, drop_in::alltoallv(address(send), send_counts, send_displacements,
                                   PMPI_Type_f2c(*send_type), address(receive), receive_counts,
                                   receive_displacements, PMPI_Type_f2c(*receive_type),
                                   PMPI_Comm_f2c(*comm)));
}
CUBOID_SPELLINGS(alltoallv, Alltoallv, ALLTOALLV);

CUBOID_EXPORT void ompi_ibarrier_f(MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::ibarrier(PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ibarrier, Ibarrier, IBARRIER);

CUBOID_EXPORT void ompi_ibcast_f(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root,
                                 MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::ibcast(address(buffer), *count, PMPI_Type_f2c(*type), *root,
                                   PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ibcast, Ibcast, IBCAST);

CUBOID_EXPORT void ompi_ireduce_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                  MPI_Fint* op, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request,
                                  MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::ireduce(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                    PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ireduce, Ireduce, IREDUCE);

CUBOID_EXPORT void ompi_comm_free_f(MPI_Fint* comm, MPI_Fint* error) {
  MPI_Comm freed = PMPI_Comm_f2c(*comm);
  const int code = drop_in::comm_free(&freed);
  if (code == MPI_SUCCESS) *comm = PMPI_Comm_c2f(freed);
  answer(error, code);
}
CUBOID_SPELLINGS(comm_free, Comm_free, COMM_FREE);

CUBOID_EXPORT void ompi_iallreduce_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                     MPI_Fint* op, MPI_Fint* comm, MPI_Fint* request,
                                     MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::iallreduce(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                          PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iallreduce, Iallreduce, IALLREDUCE);

CUBOID_EXPORT void ompi_iscan_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                MPI_Fint* op, MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iscan(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                  PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iscan, Iscan, ISCAN);

CUBOID_EXPORT void ompi_iexscan_f(void* send, void* receive, MPI_Fint* count, MPI_Fint* type,
                                  MPI_Fint* op, MPI_Fint* comm, MPI_Fint* request,
                                  MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iexscan(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                    PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iexscan, Iexscan, IEXSCAN);

CUBOID_EXPORT void ompi_ireduce_scatter_f(void* send, void* receive, MPI_Fint* counts,
                                          MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                          MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::ireduce_scatter(address(send), address(receive), counts, PMPI_Type_f2c(*type),
                               PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ireduce_scatter, Ireduce_scatter, IREDUCE_SCATTER);

CUBOID_EXPORT void ompi_ireduce_scatter_block_f(void* send, void* receive, MPI_Fint* count,
                                                MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                                MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::ireduce_scatter_block(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                                     PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ireduce_scatter_block, Ireduce_scatter_block, IREDUCE_SCATTER_BLOCK);

CUBOID_EXPORT void ompi_iallgather_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                     void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                     MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iallgather(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                       address(receive), *receive_count,
                                       PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iallgather, Iallgather, IALLGATHER);

CUBOID_EXPORT void ompi_iallgatherv_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                      void* receive, MPI_Fint* counts, MPI_Fint* displacements,
                                      MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* request,
                                      MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iallgatherv(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                        address(receive), counts, displacements,
                                        PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iallgatherv, Iallgatherv, IALLGATHERV);

CUBOID_EXPORT void ompi_igather_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                  void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                  MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request,
                                  MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::igather(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                    address(receive), *receive_count, PMPI_Type_f2c(*receive_type),
                                    *root, PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(igather, Igather, IGATHER);

CUBOID_EXPORT void ompi_igatherv_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                   void* receive, MPI_Fint* counts, MPI_Fint* displacements,
                                   MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm,
                                   MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::igatherv(
      address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive), counts,
      displacements, PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(igatherv, Igatherv, IGATHERV);

CUBOID_EXPORT void ompi_iscatter_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                   void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                   MPI_Fint* root, MPI_Fint* comm, MPI_Fint* request,
                                   MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iscatter(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                     address(receive), *receive_count, PMPI_Type_f2c(*receive_type),
                                     *root, PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iscatter, Iscatter, ISCATTER);

CUBOID_EXPORT void ompi_iscatterv_f(void* send, MPI_Fint* counts, MPI_Fint* displacements,
                                    MPI_Fint* send_type, void* receive, MPI_Fint* receive_count,
                                    MPI_Fint* receive_type, MPI_Fint* root, MPI_Fint* comm,
                                    MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::iscatterv(
      address(send), counts, displacements, PMPI_Type_f2c(*send_type), address(receive),
      *receive_count, PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(iscatterv, Iscatterv, ISCATTERV);

CUBOID_EXPORT void ompi_ialltoall_f(void* send, MPI_Fint* send_count, MPI_Fint* send_type,
                                    void* receive, MPI_Fint* receive_count, MPI_Fint* receive_type,
                                    MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::ialltoall(address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive),
                         *receive_count, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ialltoall, Ialltoall, IALLTOALL);

CUBOID_EXPORT void ompi_ialltoallv_f(void* send, MPI_Fint* send_counts,
                                     MPI_Fint* send_displacements, MPI_Fint* send_type,
                                     void* receive, MPI_Fint* receive_counts,
                                     MPI_Fint* receive_displacements, MPI_Fint* receive_type,
                                     MPI_Fint* comm, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::ialltoallv(address(send), send_counts, send_displacements, PMPI_Type_f2c(*send_type),
                          address(receive), receive_counts, receive_displacements,
                          PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), &made);
  answer(error, code, request, made);
}
CUBOID_SPELLINGS(ialltoallv, Ialltoallv, IALLTOALLV);
