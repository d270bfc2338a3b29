#include "bindings/dropin/online_trial.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

constexpr int warm_up_turns = 2;

}  // namespace

void OnlineTrial::took(double seconds) {
  if (settled_) return;
  ++calls_;
  seconds_of_turn_ += seconds;
  const int last = turns_ < warm_up_turns ? 1 : calls_per_turn_;
  if (++calls_of_turn_ < last) return;
  const double mean = std::exchange(seconds_of_turn_, 0) / std::exchange(calls_of_turn_, 0);
  double& best = times_[static_cast<std::size_t>(lock())];
  best = turns_ < 2 * warm_up_turns ? mean : std::min(best, mean);
  ++turns_;
}

void OnlineTrial::agree(const Times& slowest) {
  if (!is_even()) return;
  agreed_ = slowest;
  const double theirs = slowest[0];
  const double ours = slowest[1];
  // Long calls are few, and their times vary little. The first turns are warm-up (connections, page
  // faults, planning of schedules), unless the calls are much longer than the warm-up. In doubt the
  // native library wins.
  constexpr double longest_warm_up = 0.5;
  constexpr double much_slower = 1.5;
  const bool warm = turns_ > warm_up_turns;
  const bool ours_clear = ours_is_clearly_quicker() && (warm || theirs - ours >= longest_warm_up);
  const bool theirs_clear = warm && theirs * much_slower <= ours;
  constexpr int some_calls = 8;
  constexpr int most_calls = 16;
  const bool seen_enough = takes_long() || calls_ >= some_calls;
  const bool told = seen_enough && (ours_clear || theirs_clear);
  if (!told && calls_ < most_calls) return;
  constexpr double worth_it = 0.9;
  settle(ours <= worth_it * theirs ? Contender::ours : Contender::theirs);
}

void OnlineTrial::defend() {
  if (ours_is_clearly_quicker() || ++defended_ < next_defence_) return;
  next_defence_ *= 4;
  settled_ = false;
  turns_ = warm_up_turns;
  calls_ = warm_up_turns;
}

double OnlineTrial::saves() const {
  return settled_ && winner_ == Contender::ours ? std::max(agreed_[0] - agreed_[1], 0.0) : 0.0;
}

}  // namespace cuboid::detail::drop_in
