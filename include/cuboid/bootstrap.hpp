#pragma once

#include <cuboid/export.hpp>

#include <cstddef>
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

}  // namespace cuboid
