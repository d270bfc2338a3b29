#include "bindings/mpi/fortran.hpp"
#include "bindings/mpi/summary.hpp"

#include <mpi.h>

namespace drop_in = cuboid::detail::drop_in;

CUBOID_EXPORT int MPI_Finalize() {
  drop_in::announce_summary();
  // waits: in the program's own call, as MPI does in it
  return PMPI_Finalize();
}

#ifdef OPEN_MPI
CUBOID_EXPORT void ompi_finalize_f(MPI_Fint* error) {
  drop_in::announce_summary();
  // waits: in the program's own call, as MPI does in it
  drop_in::answer(error, PMPI_Finalize());
}
CUBOID_SPELLINGS(finalize, Finalize, FINALIZE);
#endif
