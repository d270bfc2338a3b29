#pragma once

#include "bindings/dropin/communicator_record.hpp"
#include "bindings/dropin/decision.hpp"
#include "bindings/dropin/online_trial.hpp"

#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <mpi.h>

namespace cuboid::detail::drop_in {

/// The text "taken over" or "handed on".
const char* text_of(OnlineTrial::Contender side);
/// The reason why a side carried a call as text, e.g. "forced" or "MPI faster".
/// @param other  the library whose calls Cuboid takes over
std::string text_of(Reason reason, OnlineTrial::Contender side, const char* other);

/// The calls of one rank by kind, side and reason, for a table at the end of MPI.
template <class Kind>
class Tally {
 public:
  struct Counted {
    std::size_t calls = 0;
    double seconds = 0;
    double saved = 0;
    double elsewhere = 0;  ///< the seconds of these calls on the other side, if measured
  };

  /// Has the table printed at the end of MPI, even if no call is counted.
  /// @param at_end  called when MPI_Finalize begins; it must call print()
  void announce(void (*at_end)()) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(announced_, true)) at_finalize(at_end);
  }

  /// Counts a call.
  /// @param trial   the trial that estimates what the call saves; may be null
  /// @param at_end  see announce()
  void count(const Kind& kind, OnlineTrial::Contender side, Reason reason, const OnlineTrial* trial,
             double seconds, void (*at_end)()) {
    announce(at_end);
    const std::lock_guard lock(mutex_);
    Counted& counted = by_kind_[{kind, side, reason}];
    ++counted.calls;
    counted.seconds += seconds;
    if (trial == nullptr) return;
    counted.saved += trial->saves();
    counted.elsewhere += trial->seconds_of_loser();
  }

  /// Prints the number of calls and the table on rank 0.
  /// @param other    the library whose calls Cuboid takes over, e.g. "MPI"
  /// @param line_of  makes the middle part of a line from a kind, "taken over" or "handed on", and
  ///         the counts
  template <class LineOf>
  void print(const char* library, const char* other, const char* heading,
             const LineOf& line_of) const {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    std::size_t calls = 0;
    bool all_short = !by_kind_.empty();
    for (const auto& [key, counted] : by_kind_) {
      calls += counted.calls;
      all_short = all_short && std::get<Reason>(key) == Reason::short_message;
    }
    std::string text = fmt::format("{}: loaded, {} call{}{}\n", library, calls,
                                   calls == 1 ? "" : "s", all_short ? ", all too short" : "");
    if (calls > 0) text += fmt::format("{}: calls of rank 0, {}:\n", library, heading);
    double saved = 0;
    for (const auto& [key, counted] : by_kind_) {
      const auto& [kind, side, reason] = key;
      text += fmt::format("{}: {} ({})\n", library, line_of(kind, text_of(side), counted),
                          text_of(reason, side, other));
      saved += counted.saved;
    }
    if (calls > 0)
      text += fmt::format("{}: {:.3g} s saved, estimated from the first calls of each kind\n",
                          library, saved);
    std::fputs(text.c_str(), stderr);
  }

 private:
  std::mutex mutex_;
  std::map<std::tuple<Kind, OnlineTrial::Contender, Reason>, Counted> by_kind_;
  bool announced_ = false;
};

}  // namespace cuboid::detail::drop_in
