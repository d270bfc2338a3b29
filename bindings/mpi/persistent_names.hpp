#pragma once

#include <mpi.h>

// MPI 4 has persistent collectives. Open MPI 4.1 has them as an extension, under names of its own.

#ifdef CUBOID_MPI_PERSISTENT_EXTENSION
#include <mpi-ext.h>
#define CUBOID_NAME(function) MPIX_##function
#define CUBOID_NATIVE(function) PMPIX_##function
#else
#define CUBOID_NAME(function) MPI_##function
#define CUBOID_NATIVE(function) PMPI_##function
#endif
