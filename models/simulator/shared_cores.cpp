#include "models/simulator/shared_cores.hpp"

namespace cuboid::detail {

SharedCores::SharedCores(int ranks, int cores, double wake_seconds)
    : ranks_(static_cast<std::size_t>(ranks)), free_cores_(cores), wake_seconds_(wake_seconds) {}

SharedCores::RunningTask SharedCores::wake(int rank, double now) {
  at(rank).state = CoreState::running;
  return {rank, now + wake_seconds_ + at(rank).tasks.front().seconds};
}

std::optional<SharedCores::RunningTask> SharedCores::add(int rank, const CoreTask& task,
                                                         double now) {
  at(rank).tasks.push_back(task);
  if (at(rank).state != CoreState::asleep) return std::nullopt;
  if (free_cores_ > 0) {
    --free_cores_;
    return wake(rank, now);
  }
  at(rank).state = CoreState::waiting;
  waiting_.push_back(rank);
  return std::nullopt;
}

std::uint32_t SharedCores::finish(int rank) {
  const std::uint32_t number = at(rank).tasks.front().number;
  at(rank).tasks.pop_front();
  return number;
}

std::optional<SharedCores::RunningTask> SharedCores::go_on(int rank, double now) {
  if (!at(rank).tasks.empty()) return RunningTask{rank, now + at(rank).tasks.front().seconds};
  at(rank).state = CoreState::asleep;
  if (waiting_.empty()) {
    ++free_cores_;
    return std::nullopt;
  }
  const int next = waiting_.front();
  waiting_.pop_front();
  return wake(next, now);
}

}  // namespace cuboid::detail
