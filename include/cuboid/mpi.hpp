#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <exception>
#include <memory>

#include <mpi.h>

namespace cuboid {

/// A bootstrap over the ranks of an MPI communicator. MPI must be initialised. With the
/// transport "ucx" only the constructor of Communicator uses MPI, so MPI may be finalised before or
/// after Cuboid's objects are destroyed. With "mpi" (CUBOID_TRANSPORT) messages travel over MPI:
/// finalise it, and free `communicator`, only when Cuboid's work is done.
///
/// Collective over `communicator`, which it duplicates the first time; the duplicate is kept until
/// the program frees `communicator` or finalises MPI. No message of Cuboid's meets a receive of the
/// program's, pending ones for any sender and any tag included. Throws Error(invalid_argument) for
/// MPI_COMM_NULL and intercommunicators, and where MPI is not initialised. This function and the
/// bootstrap's exchanges throw Error(timeout) with the ranks that do not arrive within
/// CUBOID_TIMEOUT, on every other rank, and Error(peer_failed) where a rank gave up.
CUBOID_API std::unique_ptr<Bootstrap> mpi_bootstrap(
    MPI_Comm communicator, const Environment& environment = Environment::read());

/// Initialises MPI unless the program has done so already, and finalises it if it initialised it;
/// not where an exception ends the session, since MPI_Finalize waits for all ranks: the launcher
/// ends them when this rank's process ends.
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
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace cuboid
