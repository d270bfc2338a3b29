#pragma once

#include <cuboid/export.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid {

/// How ranks find each other before they can communicate: who am I, how many are we, and one
/// exchange of small blobs (addresses). Two ways in: run_ranks() (threads of one process) and
/// mpi_bootstrap() (any MPI launcher).
class CUBOID_API Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Every rank gives a blob (lengths may differ) and gets everybody's, by rank. Collective. Throws
  /// Error(timeout) or Error(peer_failed) where a rank does not come.
  virtual std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) = 0;
};

}  // namespace cuboid
