#pragma once

#include "collectives/schedules/schedule.hpp"
#include "collectives/types/tag.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// The most bytes of several blocks that one step copies: no message progresses during a step.
inline constexpr std::size_t most_copied_at_once = 65536;

/// A step that copies.
inline Step copy_step(std::size_t bytes, Address from, Address to) {
  return {.kind = Step::Kind::copy, .bytes = bytes, .source = from, .destination = to};
}

/// A step that sends or receives a message of a round.
/// @param rounds  the number of all rounds.
/// @param index   the number of the round's messages between the same ranks before this one. A
///                channel has a limited number of segments; further messages use further channels.
inline Step message_of_round(Step::Kind kind, int peer, std::size_t round, std::size_t rounds,
                             std::uint32_t index, std::size_t bytes) {
  Step step{.kind = kind, .peer = peer, .bytes = bytes};
  step.channel = static_cast<std::uint32_t>(round + index / Tag::max_segments_in_flight * rounds);
  step.segment = static_cast<std::uint16_t>(index % Tag::max_segments_in_flight);
  return step;
}

/// Builds a schedule in which many steps may have to be awaited by one, and may be named several
/// times.
class AwaitingBuilder : public ScheduleBuilder {
 public:
  /// Makes the next step that add_awaiting() adds await `step`, unless it is `none`.
  void await(StepId step) {
    if (step == none || step == last_) return;
    last_ = step;
    if (step >= awaiting_.size()) awaiting_.resize(step + step / 2 + 1);
    if (std::exchange(awaiting_[step], turn_) != turn_) awaited_.push_back(step);
  }

  StepId add_awaiting(const Step& step) {
    std::ranges::sort(awaited_);
    const StepId added = add(step, {});
    for (const StepId before : awaited_) depend(added, before);
    awaited_.clear();
    last_ = none;
    ++turn_;
    return added;
  }

 private:
  std::vector<StepId> awaited_;
  StepId last_ = none;  // the step that was named last: it is often named again
  // By step, the last of the turns, each of which ends with a step that is added, that awaits it.
  std::vector<std::uint32_t> awaiting_;
  std::uint32_t turn_ = 1;
};

}  // namespace cuboid::detail
