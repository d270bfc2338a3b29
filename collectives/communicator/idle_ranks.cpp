#include "collectives/communicator/idle_ranks.hpp"

#include "collectives/communicator/point_to_point_steps.hpp"

#include <utility>

namespace cuboid::detail {

IdleRanks::IdleRanks(const Communicator& communicator, int workers)
    : works_(communicator.rank() < workers) {
  constexpr int number = 0;
  if (workers >= communicator.size()) return;
  // A communicator of its own, because the caller's messages may have any number.
  const Communicator own = communicator.split(0, communicator.rank());
  ScheduleBuilder steps;
  if (works_) {
    for (int other = own.rank() + workers; other < own.size(); other += workers)
      steps.add(send_step(other, number, 0, 0), {});
  } else {
    steps.add(receive_step(own.rank() % workers, number, 0, 0), {});
  }
  word_ = plan_messages(own, "the end of the others' work", std::move(steps), nullptr, nullptr,
                        works_ ? Patience::timeout : Patience::endless);
}

void IdleRanks::tell_quietly() noexcept {
  try {
    if (word_) word_->run();
  } catch (...) {
    // The caller gets the error that ended the work.
  }
}

}  // namespace cuboid::detail
