#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/persistent_collectives.hpp"
#include "bindings/mpi/persistent_requests.hpp"

#include <algorithm>
#include <vector>

#include <mpi.h>

// A request that C has created may be started from Fortran and the other way round, so MPI_Start,
// MPI_Startall and MPI_Request_free are replaced in both languages.

#ifdef CUBOID_MPI_PERSISTENT_EXTENSION
#define CUBOID_FUNCTION(name) ompix_##name##_f
#define CUBOID_INIT_SPELLINGS(name, Name, NAME) \
  CUBOID_SPELLINGS_OF(ompix_##name##_f, mpix_##name, MPIX_##Name, MPIX_##NAME)
#else
#define CUBOID_FUNCTION(name) ompi_##name##_f
#define CUBOID_INIT_SPELLINGS(name, Name, NAME) CUBOID_SPELLINGS(name, Name, NAME)
#endif

namespace drop_in = cuboid::detail::drop_in;
using drop_in::address;
using drop_in::answer;

CUBOID_EXPORT void CUBOID_FUNCTION(barrier_init)(MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request,
                                                 MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::barrier_init(PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(barrier_init, Barrier_init, BARRIER_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(bcast_init)(void* buffer, MPI_Fint* count, MPI_Fint* type,
                                               MPI_Fint* root, MPI_Fint* comm, MPI_Fint* info,
                                               MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::bcast_init(address(buffer), *count, PMPI_Type_f2c(*type), *root,
                                       PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(bcast_init, Bcast_init, BCAST_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(reduce_init)(void* send, void* receive, MPI_Fint* count,
                                                MPI_Fint* type, MPI_Fint* op, MPI_Fint* root,
                                                MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request,
                                                MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::reduce_init(address(send), address(receive), *count,
                                        PMPI_Type_f2c(*type), PMPI_Op_f2c(*op), *root,
                                        PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(reduce_init, Reduce_init, REDUCE_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(allreduce_init)(void* send, void* receive, MPI_Fint* count,
                                                   MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                                   MPI_Fint* info, MPI_Fint* request,
                                                   MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::allreduce_init(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                              PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(allreduce_init, Allreduce_init, ALLREDUCE_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(scan_init)(void* send, void* receive, MPI_Fint* count,
                                              MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                              MPI_Fint* info, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::scan_init(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                         PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(scan_init, Scan_init, SCAN_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(exscan_init)(void* send, void* receive, MPI_Fint* count,
                                                MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                                MPI_Fint* info, MPI_Fint* request,
                                                MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::exscan_init(address(send), address(receive), *count, PMPI_Type_f2c(*type),
                           PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(exscan_init, Exscan_init, EXSCAN_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(reduce_scatter_init)(void* send, void* receive, MPI_Fint* counts,
                                                        MPI_Fint* type, MPI_Fint* op,
                                                        MPI_Fint* comm, MPI_Fint* info,
                                                        MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::reduce_scatter_init(address(send), address(receive), counts,
                                                PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
                                                PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(reduce_scatter_init, Reduce_scatter_init, REDUCE_SCATTER_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(reduce_scatter_block_init)(void* send, void* receive,
                                                              MPI_Fint* count, MPI_Fint* type,
                                                              MPI_Fint* op, MPI_Fint* comm,
                                                              MPI_Fint* info, MPI_Fint* request,
                                                              MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::reduce_scatter_block_init(
      address(send), address(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op),
      PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(reduce_scatter_block_init, Reduce_scatter_block_init,
                      REDUCE_SCATTER_BLOCK_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(allgather_init)(void* send, MPI_Fint* send_count,
                                                   MPI_Fint* send_type, void* receive,
                                                   MPI_Fint* receive_count, MPI_Fint* receive_type,
                                                   MPI_Fint* comm, MPI_Fint* info,
                                                   MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::allgather_init(
      address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive), *receive_count,
      PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(allgather_init, Allgather_init, ALLGATHER_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(allgatherv_init)(void* send, MPI_Fint* send_count,
                                                    MPI_Fint* send_type, void* receive,
                                                    MPI_Fint* counts, MPI_Fint* displacements,
                                                    MPI_Fint* receive_type, MPI_Fint* comm,
                                                    MPI_Fint* info, MPI_Fint* request,
                                                    MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::allgatherv_init(address(send), *send_count, PMPI_Type_f2c(*send_type),
                                            address(receive), counts, displacements,
                                            PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm),
                                            PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(allgatherv_init, Allgatherv_init, ALLGATHERV_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(gather_init)(void* send, MPI_Fint* send_count,
                                                MPI_Fint* send_type, void* receive,
                                                MPI_Fint* receive_count, MPI_Fint* receive_type,
                                                MPI_Fint* root, MPI_Fint* comm, MPI_Fint* info,
                                                MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::gather_init(
      address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive), *receive_count,
      PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(gather_init, Gather_init, GATHER_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(gatherv_init)(void* send, MPI_Fint* send_count,
                                                 MPI_Fint* send_type, void* receive,
                                                 MPI_Fint* counts, MPI_Fint* displacements,
                                                 MPI_Fint* receive_type, MPI_Fint* root,
                                                 MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request,
                                                 MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::gatherv_init(address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive),
                            counts, displacements, PMPI_Type_f2c(*receive_type), *root,
                            PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(gatherv_init, Gatherv_init, GATHERV_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(scatter_init)(void* send, MPI_Fint* send_count,
                                                 MPI_Fint* send_type, void* receive,
                                                 MPI_Fint* receive_count, MPI_Fint* receive_type,
                                                 MPI_Fint* root, MPI_Fint* comm, MPI_Fint* info,
                                                 MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::scatter_init(
      address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive), *receive_count,
      PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(scatter_init, Scatter_init, SCATTER_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(scatterv_init)(void* send, MPI_Fint* counts,
                                                  MPI_Fint* displacements, MPI_Fint* send_type,
                                                  void* receive, MPI_Fint* receive_count,
                                                  MPI_Fint* receive_type, MPI_Fint* root,
                                                  MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request,
                                                  MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code =
      drop_in::scatterv_init(address(send), counts, displacements, PMPI_Type_f2c(*send_type),
                             address(receive), *receive_count, PMPI_Type_f2c(*receive_type), *root,
                             PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(scatterv_init, Scatterv_init, SCATTERV_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(alltoall_init)(void* send, MPI_Fint* send_count,
                                                  MPI_Fint* send_type, void* receive,
                                                  MPI_Fint* receive_count, MPI_Fint* receive_type,
                                                  MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request,
                                                  MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::alltoall_init(
      address(send), *send_count, PMPI_Type_f2c(*send_type), address(receive), *receive_count,
      PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(alltoall_init, Alltoall_init, ALLTOALL_INIT);

CUBOID_EXPORT void CUBOID_FUNCTION(alltoallv_init)(
    void* send, MPI_Fint* send_counts, MPI_Fint* send_displacements, MPI_Fint* send_type,
    void* receive, MPI_Fint* receive_counts, MPI_Fint* receive_displacements,
    MPI_Fint* receive_type, MPI_Fint* comm, MPI_Fint* info, MPI_Fint* request, MPI_Fint* error) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = drop_in::alltoallv_init(
      address(send), send_counts, send_displacements, PMPI_Type_f2c(*send_type), address(receive),
      receive_counts, receive_displacements, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*comm),
      PMPI_Info_f2c(*info), &made);
  answer(error, code, request, made);
}
CUBOID_INIT_SPELLINGS(alltoallv_init, Alltoallv_init, ALLTOALLV_INIT);

CUBOID_EXPORT void ompi_start_f(MPI_Fint* request, MPI_Fint* error) {
  MPI_Request handle = PMPI_Request_f2c(*request);
  const int code = drop_in::start_request(&handle);
  answer(error, code, request, handle);
}
CUBOID_SPELLINGS(start, Start, START);

CUBOID_EXPORT void ompi_startall_f(MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error) {
  std::vector<MPI_Request> handles;
  for (int i = 0; i < *count; ++i) handles.push_back(PMPI_Request_f2c(requests[i]));
  const int code = drop_in::start_requests(*count, handles.data());
  if (code == MPI_SUCCESS) std::ranges::transform(handles, requests, PMPI_Request_c2f);
  answer(error, code);
}
CUBOID_SPELLINGS(startall, Startall, STARTALL);

CUBOID_EXPORT void ompi_request_free_f(MPI_Fint* request, MPI_Fint* error) {
  MPI_Request handle = PMPI_Request_f2c(*request);
  const int code = drop_in::free_request(&handle);
  answer(error, code, request, handle);
}
CUBOID_SPELLINGS(request_free, Request_free, REQUEST_FREE);
