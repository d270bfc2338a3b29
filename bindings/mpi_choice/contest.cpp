#include "bindings/mpi_choice/contest.hpp"

#include <algorithm>
#include <cstddef>

namespace cuboid::detail::drop_in {

void Contest::took(double seconds) {
  if (settled_) return;
  double& best = times_[static_cast<std::size_t>(lock())];
  best = calls_ < 2 ? seconds : std::min(best, seconds);
  ++calls_;
}

void Contest::agree(const Times& slowest) {
  agreed_ = slowest;
  const double theirs = slowest[0];
  const double ours = slowest[1];
  // Long calls are few, and their times vary little. The first pair is warm-up (connections, page
  // faults, planning of schedules), unless the calls are much longer than the warm-up.
  const bool warm = calls_ > 2;
  const bool takes_long = theirs + ours >= long_enough_to_be_told_soon;
  const bool ours_clear = ours * 2 <= theirs && (warm || theirs - ours >= longest_warm_up);
  const bool theirs_clear = theirs * 2 <= ours && warm;
  const bool seen_enough = takes_long || calls_ >= 2 * some_pairs;
  const bool told = seen_enough && (ours_clear || theirs_clear);
  if (!told && calls_ < 2 * most_pairs) return;
  constexpr double worth_it = 0.9;
  settled_ = true;
  winner_ = ours <= worth_it * theirs ? Side::ours : Side::theirs;
}

double Contest::saves() const {
  return settled_ && winner_ == Side::ours ? std::max(agreed_[0] - agreed_[1], 0.0) : 0.0;
}

}  // namespace cuboid::detail::drop_in
