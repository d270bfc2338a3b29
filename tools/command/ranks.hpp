#pragma once

#include <cuboid/communicator.hpp>
#include <cuboid/environment.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

namespace cuboid::detail::tools {

/// The ranks of a subcommand: the processes that an MPI launcher started together with this one, or
/// else threads of this process.
class Ranks {
 public:
  /// @param wanted     the value of --ranks.
  /// @param otherwise  the number of threads if neither --ranks nor a launcher gives a number of
  /// ranks.
  /// Throws Error(invalid_argument) if a launcher has started another number of ranks.
  Ranks(std::optional<int> wanted, int otherwise);

  /// Throws Error(invalid_argument) if the ranks are threads and this machine has too little memory
  /// for them. run() checks it as well; an earlier check saves the planning.
  void require_room() const;

  int size() const { return size_; }
  /// The number of ranks that are threads of this process.
  int in_this_process() const { return launched_ ? 1 : size_; }
  /// True if this process prints results because it has rank 0.
  bool speak() const { return speak_; }

  /// Runs `body` on every rank of this process and returns when all have ended. If a rank throws,
  /// the other ranks are informed, and the first error is rethrown here.
  void run(const Environment& environment,
           const std::function<void(const Communicator&)>& body) const;

  /// As run(), and returns what `body` returns on rank 0; where that is in another process, what it
  /// returns on a rank of this one.
  template <class Body>
  auto result_of(const Environment& environment, const Body& body) const {
    std::mutex mutex;
    std::invoke_result_t<const Body&, const Communicator&> result;
    run(environment, [&](const Communicator& world) {
      auto mine = body(world);
      const std::lock_guard lock(mutex);
      if (world.rank() == 0 || !speak_) result = std::move(mine);
    });
    return result;
  }

 private:
  bool launched_;
  int size_;
  bool speak_ = true;
};

/// True if this process prints when no ranks are needed: the launcher's first process, or the only
/// one.
bool is_first_process();

/// The number of threads per rank to use if the user asks for `wanted`: at most the cores that this
/// process may use, because the threads of a BLAS library wait busily for each other. Warns about
/// fewer threads if `speak`. Throws Error(invalid_argument) for numbers far above the number of
/// cores.
int sensible_threads(int wanted, const Environment& environment, bool speak);

/// One rank per `threads_per_rank` cores that this process may use, at least one.
int ranks_for_usable_cores(int threads_per_rank);

}  // namespace cuboid::detail::tools
