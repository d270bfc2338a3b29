#pragma once

#include <array>

namespace cuboid::detail::drop_in {

/// Who carries calls of one kind and length: the MPI beneath or Cuboid. By turns both do, timed;
/// after each pair the ranks agree on the times, and when these say enough, it is settled for good.
/// Pure: all ranks take the same steps, as they all are told the same agreed times.
class Contest {
 public:
  enum class Side { theirs, ours };
  /// Seconds of a call, by side: the quickest one so far.
  using Times = std::array<double, 2>;

  Contest() = default;
  /// One that is settled beforehand, for Cuboid, which is expected to save so many seconds per
  /// call.
  static Contest won_by_ours(double saves) {
    Contest contest;
    contest.settled_ = true;
    contest.winner_ = Side::ours;
    contest.agreed_ = {saves, 0};
    return contest;
  }

  /// One that is settled beforehand, for the side beneath.
  static Contest won_by_theirs() {
    Contest contest;
    contest.settled_ = true;
    return contest;
  }

  bool settled() const { return settled_; }
  /// Whether Cuboid has not had a turn yet.
  bool ours_is_untried() const { return !settled_ && calls_ < 2; }
  /// Whether both sides have had at least two turns: first calls also make ready what later ones
  /// find.
  bool both_have_settled_in() const { return calls_ >= 4; }
  /// Whose turn it is; once it is settled, the winner's.
  Side lock() const { return settled_ ? winner_ : calls_ % 2 == 0 ? Side::theirs : Side::ours; }

  /// Tells how long the call took that lock() named.
  void took(double seconds);
  /// Whether times have to be agreed on before the next call: both sides have had their turn.
  bool wants_agreement() const { return !settled_ && calls_ > 0 && calls_ % 2 == 0; }
  const Times& times() const { return times_; }
  /// @param slowest  times() of the slowest rank, by side; the same on every rank.
  void agree(const Times& slowest);

  /// Seconds that Cuboid saves with every call; 0 unless it is settled for it.
  double saves() const;

 private:
  static constexpr int some_pairs = 4;  // where the times differ clearly
  static constexpr int most_pairs = 8;
  static constexpr double long_enough_to_be_told_soon = 0.02;  // seconds
  static constexpr double longest_warm_up = 0.5;

  bool settled_ = false;
  Side winner_ = Side::theirs;
  int calls_ = 0;
  Times times_ = {};
  Times agreed_ = {};
};

}  // namespace cuboid::detail::drop_in
