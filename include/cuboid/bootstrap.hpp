#pragma once

#include <cuboid/environment.hpp>
#include <cuboid/export.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace cuboid {

/// How ranks find each other before they can communicate: rank, size, and one exchange of small
/// messages (addresses). run_ranks(), mpi_bootstrap() and pmix_bootstrap() provide implementations
/// for threads of one process, for ranks of MPI, and for processes that a launcher with PMIx
/// started. A program with its own launcher implements this class.
class CUBOID_API Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  /// This rank's number, 0 to size() - 1.
  virtual int rank() const = 0;
  /// The number of ranks; the same on every rank.
  virtual int size() const = 0;

  /// Gathers one message per rank, of any length, on every rank, and returns them by rank.
  /// Collective. Throws Error(timeout) or Error(peer_failed) if a rank does not take part.
  virtual std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) = 0;
};

/// A bootstrap over the processes of a job that a launcher with PMIx started: `srun --mpi=pmix`,
/// the mpirun of Open MPI, or prterun. The program needs no MPI. PMIx's library (libpmix.so.2,
/// version 3 or later) is loaded at run time. UCX carries the messages.
///
/// The ranks are all processes of the job, and every one of them must make as many such bootstraps.
/// Not collective itself; its exchanges and the constructor of Communicator are. The first call of
/// a process starts PMIx's client, which ends with the process. A program may use PMIx or MPI, too.
/// Only one thread of a process may make a communicator at a time.
///
/// Throws Error(unsupported) if no launcher with PMIx started this process, and if the library is
/// missing or too old. The exchanges throw, on every rank that arrives, Error(timeout) with the
/// ranks that do not arrive within CUBOID_TIMEOUT, and Error(peer_failed) if a rank gave up or the
/// launcher reports that the exchange failed.
CUBOID_API std::unique_ptr<Bootstrap> pmix_bootstrap(
    const Environment& environment = Environment::read());

}  // namespace cuboid
