#pragma once

#include <cuboid/base/environment.hpp>
#include <cuboid/collectives/communicator.hpp>

#include <functional>
#include <optional>

namespace cuboid::tools {

/// The ranks a subcommand runs on: those of the MPI launcher this process was started by, else
/// threads of this process.
class Ranks {
 public:
  /// @param wanted  --ranks; without it one thread per `threads_per_rank` usable cores.
  /// Throws Error(invalid_argument) where a launcher has started another number of ranks.
  Ranks(std::optional<int> wanted, int threads_per_rank);

  int size() const { return size_; }
  /// How many of them are threads of this process.
  int in_this_process() const { return launched_ ? 1 : size_; }

  /// Runs `body` on every rank of this process and returns when all have ended. Where it throws,
  /// the other ranks are told, and the first error is thrown here.
  void run(const Environment& environment,
           const std::function<void(const Communicator&)>& body) const;

 private:
  bool launched_;
  int size_;
};

}  // namespace cuboid::tools
