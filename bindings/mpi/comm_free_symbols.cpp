#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/freed_communicators.hpp"

#include <mpi.h>

namespace drop_in = cuboid::detail::drop_in;
using drop_in::answer;

CUBOID_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  return drop_in::comm_free(comm);
}

#ifdef OPEN_MPI
CUBOID_EXPORT void ompi_comm_free_f(MPI_Fint* comm, MPI_Fint* error) {
  MPI_Comm freed = PMPI_Comm_f2c(*comm);
  const int code = drop_in::comm_free(&freed);
  if (code == MPI_SUCCESS) *comm = PMPI_Comm_c2f(freed);
  answer(error, code);
}
CUBOID_SPELLINGS(comm_free, Comm_free, COMM_FREE);
#endif
