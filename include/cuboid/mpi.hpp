#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <memory>

#include <mpi.h>

namespace cuboid {

/// A bootstrap over the ranks of an MPI communicator. MPI must be initialised. With the
/// transport "ucx" only the constructor of Communicator uses MPI, so MPI may be finalised before or
/// after Cuboid's objects are destroyed. With "mpi" (CUBOID_TRANSPORT) messages travel over MPI:
/// finalise it, and free `communicator`, only when Cuboid's work is done. Collective over
/// `communicator`; while it runs no receive with MPI_ANY_TAG may be pending there, as messages with
/// the highest tags are Cuboid's. The exchange throws Error(timeout) with the ranks that do not
/// arrive within CUBOID_TIMEOUT.
CUBOID_API std::unique_ptr<Bootstrap> mpi_bootstrap(
    MPI_Comm communicator, const Environment& environment = Environment::read());

/// Initialises MPI unless the program has done so already, and finalises it if it initialised it.
class CUBOID_API MpiSession {
 public:
  /// Collective over all processes of the launcher if it initialises MPI; so is the destructor
  /// then.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Whether an MPI launcher (mpirun, srun, mpiexec) started this process, judged by its
  /// environment variables.
  static bool launched();

 private:
  bool owner_ = false;
};

}  // namespace cuboid
