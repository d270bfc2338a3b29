#pragma once

#include <mpi.h>

// MPI 4's persistent collectives. Open MPI 4.1 has them as an extension, under names of its own.

#if defined(CUBOID_MPI_PERSISTENT)
#define INIT(Name) MPI_##Name##_init
#define INIT_NATIVE(Name) PMPI_##Name##_init
#elif defined(CUBOID_MPI_PERSISTENT_EXTENSION)
#include <mpi-ext.h>
#define INIT(Name) MPIX_##Name##_init
#define INIT_NATIVE(Name) PMPIX_##Name##_init
#endif
