#pragma once

#include <mpi.h>

namespace cuboid::detail::drop_in {

/// Makes a communicator of this rank alone. Unlike a duplicate of MPI_COMM_SELF it does not copy
/// the program's attributes.
inline MPI_Comm make_self() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm self = MPI_COMM_NULL;
  PMPI_Comm_group(MPI_COMM_SELF, &group);
  // waits: for nobody, it is this rank's alone
  PMPI_Comm_create(MPI_COMM_SELF, group, &self);
  PMPI_Group_free(&group);
  return self;
}

}  // namespace cuboid::detail::drop_in
