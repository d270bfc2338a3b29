#pragma once

#include <array>
#include <cstdint>

namespace cuboid::detail::drop_in {

/// A trial decides who carries calls of one kind and length: the native MPI or Cuboid. Both carry
/// calls in alternation, and the calls are timed. After turns of both sides the ranks agree on the
/// times. If the difference is clear, the trial is settled. Pure: all ranks take the same
/// decisions, because all get the same agreed times.
///
/// A turn is one call, or several in a row. Short calls need several: successive calls overlap if a
/// rank may leave a call before the others, and a single call after an agreement, for which all
/// ranks have met, does not show that. Each side's first turn is a single call in any case.
class OnlineTrial {
 public:
  enum class Contender { theirs, ours };
  /// For each side the shortest turn so far, in seconds per call.
  using Times = std::array<double, 2>;

  explicit OnlineTrial(int calls_per_turn = 1) : calls_per_turn_(calls_per_turn) {}
  /// A trial that is settled from the start for Cuboid.
  /// @param saves  the seconds that Cuboid is expected to save per call
  static OnlineTrial won_by_ours(double saves) {
    OnlineTrial trial;
    trial.settled_ = true;
    trial.winner_ = Contender::ours;
    trial.agreed_ = {saves, 0};
    return trial;
  }

  /// A trial that is settled from the start for the native library.
  static OnlineTrial won_by_theirs() {
    OnlineTrial trial;
    trial.settled_ = true;
    return trial;
  }

  bool settled() const { return settled_; }
  /// True if Cuboid has not carried a call yet.
  bool ours_is_untried() const { return !settled_ && turns_ < 2; }
  /// True if the next call is the first of a turn.
  bool begins_turn() const { return !settled_ && calls_of_turn_ == 0; }
  /// True if both sides have had equally many turns, so that their times may be compared.
  bool is_even() const { return turns_ % 2 == 0; }
  /// The number of turns that each side has had. First calls also set up what later calls reuse.
  int turns_of_each() const { return turns_ / 2; }
  /// The side that carries the next call; once the trial is settled, the winner.
  Contender lock() const {
    return settled_ ? winner_ : is_even() ? Contender::theirs : Contender::ours;
  }

  /// Reports the time of a call that the side named by lock() has carried.
  void took(double seconds);
  /// True if the ranks must agree on times before the next call: after turns of both sides. If a
  /// turn is several calls, after each turn, so that each turn begins after a meeting of the ranks.
  bool wants_agreement() const {
    return !settled_ && turns_ > 0 && calls_of_turn_ == 0 && (is_even() || calls_per_turn_ > 1);
  }
  const Times& times() const { return times_; }
  /// @param slowest  times() of the slowest rank, by side; the same on every rank
  void agree(const Times& slowest);
  /// Settles the trial for this side.
  void settle(Contender winner) {
    settled_ = true;
    winner_ = winner;
  }

  /// To be called before each call of a settled trial that Cuboid has won. If Cuboid has won
  /// narrowly, the trial is held again after 32 such calls, after 128, 512, …, because noise may
  /// have decided it.
  void defend();

  /// The seconds that Cuboid saves with every call; 0 unless Cuboid has won.
  double saves() const;
  /// The seconds of a call on the side that has lost; 0 if that was never measured.
  double seconds_of_loser() const {
    return settled_ ? agreed_[winner_ == Contender::ours ? 0 : 1] : 0.0;
  }

 private:
  bool takes_long() const { return agreed_[0] + agreed_[1] >= 0.02; }
  bool ours_is_clearly_quicker() const { return agreed_[1] * 2 <= agreed_[0]; }

  int calls_per_turn_;
  bool settled_ = false;
  Contender winner_ = Contender::theirs;
  int calls_ = 0;
  int turns_ = 0;  // the number of turns that have ended
  int calls_of_turn_ = 0;
  double seconds_of_turn_ = 0;
  Times times_ = {};
  Times agreed_ = {};
  std::uint64_t defended_ = 0;  // calls since Cuboid first won
  std::uint64_t next_defence_ = 32;
};

}  // namespace cuboid::detail::drop_in
