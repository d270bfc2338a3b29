#pragma once

#include <mpi.h>

namespace cuboid::detail {

/// A bootstrap whose ranks are those of an MPI communicator.
class OverMpi {
 public:
  virtual ~OverMpi() = default;
  virtual MPI_Comm communicator() const = 0;
  /// False if all of Cuboid's ends before MPI does, whatever the program frees: the caller sees to
  /// that.
  virtual bool may_end_early() const { return true; }
};

}  // namespace cuboid::detail
