#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/persistent_requests.hpp"

#include <algorithm>
#include <vector>

#include <mpi.h>

// A request that C has created may be started from Fortran and the other way round, so MPI_Start,
// MPI_Startall and MPI_Request_free are replaced in both languages.

namespace drop_in = cuboid::detail::drop_in;
using drop_in::answer;

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
