#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/summary.hpp"

#include <mpi.h>

namespace drop_in = cuboid::detail::drop_in;

CUBOID_EXPORT int MPI_Finalize() {
  drop_in::announce_summary();
  return PMPI_Finalize();
}

#ifdef OPEN_MPI
CUBOID_EXPORT void ompi_finalize_f(MPI_Fint* error) {
  drop_in::answer(error, MPI_Finalize());
}
CUBOID_SPELLINGS(finalize, Finalize, FINALIZE);
#endif
