#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>

#include <memory>

#include <mpi.h>

namespace cuboid {

/// Ranks of any MPI communicator. MPI must be initialised and is left so; it is used only by the
/// constructor of Communicator, so it may be finalised before or after Cuboid's objects are
/// destroyed. Collective over `communicator`, on which no receive of MPI_ANY_TAG may be waiting:
/// messages of the highest tags are Cuboid's. Exchanges throw Error(timeout) naming the ranks that
/// do not come within CUBOID_TIMEOUT.
std::unique_ptr<Bootstrap> mpi_bootstrap(MPI_Comm communicator,
                                         const Environment& environment = Environment::read());

/// Initialises MPI unless the program has done so already, and finalises it again in that case
/// only.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Whether this process was started by an MPI launcher (mpirun, srun, mpiexec), read from its
  /// environment.
  static bool launched();

 private:
  bool owner_ = false;
};

}  // namespace cuboid
