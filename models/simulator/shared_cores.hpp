#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace cuboid::detail {

/// Cores that ranks share. A rank with work queues for a core, first come first served. When it
/// gets a core, it wakes up, does its tasks and the tasks that arrive in the meantime one after the
/// other, and releases the core. Deterministic; times are in the caller's unit.
class SharedCores {
 public:
  struct CoreTask {
    double seconds = 0;
    std::uint32_t number = 0;  ///< the caller's number of the task
  };
  /// A task that has begun. At its end the caller calls finish(), then go_on().
  struct RunningTask {
    int rank = 0;
    double end = 0;
  };

  /// @param cores         at least 1, or there are no ranks.
  /// @param wake_seconds  seconds of a context switch, each time that a rank gets a core.
  SharedCores(int ranks, int cores, double wake_seconds);

  /// Adds a task to a rank. Returns the task that begins with it, if any.
  std::optional<RunningTask> add(int rank, const CoreTask& task, double now);
  /// The number of a rank's task in flight. rename() gives it another number.
  std::uint32_t number(int rank) const {
    return ranks_[static_cast<std::size_t>(rank)].tasks.front().number;
  }
  void rename(int rank, std::uint32_t number) { at(rank).tasks.front().number = number; }
  /// Ends the rank's task in flight. Returns its number.
  std::uint32_t finish(int rank);
  /// The rank's core goes on with the rank's next task, or with another rank. Returns the task that
  /// begins, if any.
  std::optional<RunningTask> go_on(int rank, double now);

 private:
  enum class CoreState : std::uint8_t { asleep, waiting, running };
  struct Rank {
    CoreState state = CoreState::asleep;
    std::deque<CoreTask> tasks;  // the first task is in flight if the rank runs
  };

  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  RunningTask wake(int rank, double now);

  std::vector<Rank> ranks_;
  std::deque<int> waiting_;
  int free_cores_;
  double wake_seconds_;
};

}  // namespace cuboid::detail
