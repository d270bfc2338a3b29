#pragma once

#include <mpi.h>

// MPI 4 has persistent collectives. Open MPI 4.1 has them as an extension, under names of its own.
// CUBOID_FUNCTION is the name of a Fortran function, and CUBOID_INIT_SPELLINGS defines all its
// spellings (fortran.hpp).

#ifdef CUBOID_MPI_PERSISTENT_EXTENSION
#include <mpi-ext.h>
#define CUBOID_NAME(function) MPIX_##function
#define CUBOID_NATIVE(function) PMPIX_##function
#define CUBOID_FUNCTION(name) ompix_##name##_f
#define CUBOID_INIT_SPELLINGS(name, Name, NAME) \
  CUBOID_SPELLINGS_OF(ompix_##name##_f, mpix_##name, MPIX_##Name, MPIX_##NAME)
#else
#define CUBOID_NAME(function) MPI_##function
#define CUBOID_NATIVE(function) PMPI_##function
#define CUBOID_FUNCTION(name) ompi_##name##_f
#define CUBOID_INIT_SPELLINGS(name, Name, NAME) CUBOID_SPELLINGS(name, Name, NAME)
#endif
