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
  // Calls that take long are few, and their times differ little from turn to turn. Our first call
  // also lays its steps out, which is held against nobody.
  const bool takes_long = theirs + ours >= long_enough_for_one_pair;
  const bool is_clear = ours * 2 <= theirs || (calls_ > 2 && theirs * 2 <= ours);
  if (!(takes_long && is_clear) && calls_ < 2 * most_pairs) return;
  constexpr double worth_it = 0.95;
  settled_ = true;
  winner_ = ours <= worth_it * theirs ? Side::ours : Side::theirs;
}

double Contest::saves() const {
  return settled_ && winner_ == Side::ours ? std::max(agreed_[0] - agreed_[1], 0.0) : 0.0;
}

}  // namespace cuboid::detail::drop_in
