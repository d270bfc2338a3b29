#pragma once

#include <cuboid/bootstrap.hpp>
#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <exception>
#include <memory>

#include <mpi.h>

namespace cuboid {

/// A bootstrap over the ranks of an MPI communicator. MPI must be initialised. With the transport
/// "ucx" only the constructor of Communicator uses MPI: MPI may be finalised before or after
/// Cuboid's objects are destroyed. With "mpi" (CUBOID_TRANSPORT) messages travel over MPI: finalise
/// MPI and free `communicator` only when Cuboid's work is complete.
///
/// Collective over `communicator`. The first call duplicates it; the duplicate is kept until the
/// program frees `communicator` or finalises MPI. No message of Cuboid's matches a receive of the
/// program's, not even a pending receive from any sender with any tag. Throws
/// Error(invalid_argument) for MPI_COMM_NULL and intercommunicators, and if MPI is not initialised.
/// This function and the bootstrap's exchanges throw, on every rank that arrives, Error(timeout)
/// with the ranks that do not arrive within CUBOID_TIMEOUT, and Error(peer_failed) if a rank gave
/// up.
CUBOID_API std::unique_ptr<Bootstrap> mpi_bootstrap(
    MPI_Comm communicator, const Environment& environment = Environment::read());

/// Initialises MPI unless the program has done so already. If it initialised MPI, its destructor
/// finalises MPI, unless an exception ends the session: MPI_Finalize waits for all ranks, and the
/// launcher ends them when this rank's process ends.
class CUBOID_API MpiSession {
 public:
  /// If the constructor initialises MPI, both the constructor and the destructor are collective
  /// over all processes of the launcher.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// True if an MPI launcher (mpirun, srun, mpiexec) started this process, judged by its
  /// environment variables.
  static bool launched();

 private:
  bool owner_ = false;
  int exceptions_before_ = std::uncaught_exceptions();
};

}  // namespace cuboid
