#pragma once

#include <array>

namespace cuboid::detail::drop_in {

/// A contest decides who carries calls of one kind and length: the MPI beneath or Cuboid. Both
/// carry calls in alternation, and the calls are timed. After each pair of calls the ranks agree on
/// the times; when the difference is clear, the contest is settled for good. Pure: all ranks take
/// the same decisions because all are given the same agreed times.
class Contest {
 public:
  enum class Side { theirs, ours };
  /// The shortest time of a call so far in seconds, by side.
  using Times = std::array<double, 2>;

  Contest() = default;
  /// A contest that is settled from the start for Cuboid. `saves` is the number of seconds that
  /// Cuboid is expected to save per call.
  static Contest won_by_ours(double saves) {
    Contest contest;
    contest.settled_ = true;
    contest.winner_ = Side::ours;
    contest.agreed_ = {saves, 0};
    return contest;
  }

  /// A contest that is settled from the start for the library beneath.
  static Contest won_by_theirs() {
    Contest contest;
    contest.settled_ = true;
    return contest;
  }

  bool settled() const { return settled_; }
  /// True if Cuboid has not carried a call yet.
  bool ours_is_untried() const { return !settled_ && calls_ < 2; }
  /// True if both sides have carried at least two calls. First calls also set up what later calls
  /// reuse.
  bool both_have_settled_in() const { return calls_ >= 4; }
  /// The side that carries the next call; once the contest is settled, the winner.
  Side lock() const { return settled_ ? winner_ : calls_ % 2 == 0 ? Side::theirs : Side::ours; }

  /// Reports the time of the call that the side named by lock() carried.
  void took(double seconds);
  /// True if the ranks must agree on times before the next call: both sides have carried one since
  /// the last agreement.
  bool wants_agreement() const { return !settled_ && calls_ > 0 && calls_ % 2 == 0; }
  const Times& times() const { return times_; }
  /// @param slowest  times() of the slowest rank, by side; the same on every rank.
  void agree(const Times& slowest);

  /// Seconds that Cuboid saves with every call; 0 unless Cuboid has won.
  double saves() const;

 private:
  static constexpr int some_pairs = 4;  // pairs that suffice if the times differ clearly
  static constexpr int most_pairs = 8;
  static constexpr double long_enough_to_be_told_soon =
      0.02;  // seconds; longer calls are decided early
  static constexpr double longest_warm_up = 0.5;

  bool settled_ = false;
  Side winner_ = Side::theirs;
  int calls_ = 0;
  Times times_ = {};
  Times agreed_ = {};
};

}  // namespace cuboid::detail::drop_in
