#pragma once

#include <mpi.h>

namespace cuboid::detail {

/// A bootstrap whose ranks are those of an MPI communicator.
class OverMpi {
 public:
  virtual ~OverMpi() = default;
  virtual MPI_Comm communicator() const = 0;
};

}  // namespace cuboid::detail
