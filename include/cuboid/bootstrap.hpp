#pragma once

#include <cuboid/export.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cuboid {

/// How ranks find each other before they can communicate: rank, size, and one exchange of small
/// messages (addresses). run_ranks() and mpi_bootstrap() provide implementations for threads of one
/// process and for MPI launchers.
class CUBOID_API Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Gathers one message per rank, of any length, on every rank. Collective. Throws Error(timeout)
  /// or Error(peer_failed) if a rank does not take part.
  virtual std::vector<std::vector<std::byte>> allgather(std::span<const std::byte> mine) = 0;
};

}  // namespace cuboid
