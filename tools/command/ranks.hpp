#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>

#include <functional>
#include <optional>

namespace cuboid::detail::tools {

/// The ranks of a subcommand: the processes of the MPI launcher that started this one, or else
/// threads of this process.
class Ranks {
 public:
  /// @param wanted  --ranks.
  /// @param otherwise  the threads to be ranks where neither --ranks nor a launcher says how many.
  /// Throws Error(invalid_argument) if a launcher has started another number of ranks.
  Ranks(std::optional<int> wanted, int otherwise);

  /// Throws Error(invalid_argument) where the ranks are threads and more than this machine has
  /// memory for. run() does it, too; earlier it spares planning for them.
  void require_room() const;

  int size() const { return size_; }
  /// The number of ranks that are threads of this process.
  int in_this_process() const { return launched_ ? 1 : size_; }
  /// Whether this process prints results: it has rank 0.
  bool speak() const { return speak_; }

  /// Runs `body` on every rank of this process and returns when all have ended. Where it throws,
  /// the other ranks are told, and the first error is thrown here.
  void run(const Environment& environment,
           const std::function<void(const Communicator&)>& body) const;

 private:
  bool launched_;
  int size_;
  bool speak_ = true;
};

/// Whether this process is the one that prints where no ranks are needed: the first of a
/// launcher's, or the only one.
bool is_first_process();

/// The threads per rank to use where the user wants `wanted`: not more than the cores that this
/// process may use, with a warning if it speaks, as a BLAS library's threads wait busily for each
/// other. Throws Error(invalid_argument) for numbers that no machine like this one has a use for.
int sensible_threads(int wanted, const Environment& environment, bool speak);

/// One rank per `threads_per_rank` cores that this process may use, at least one.
int ranks_for_usable_cores(int threads_per_rank);

}  // namespace cuboid::detail::tools
