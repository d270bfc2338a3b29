#include "bindings/mpi/decision.hpp"

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/fast_pass_through.hpp"
#include "bindings/dropin/settings.hpp"
#include "bindings/dropin/shadow_communicator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

using Contender = OnlineTrial::Contender;

/// A shadow communicator costs some hundredths of a second. On a network, calls of this length soon
/// regain that time.
constexpr std::size_t long_for_a_network = 1 << 20;
/// Calls shorter than this overlap if they follow each other.
constexpr std::size_t long_for_a_turn = 1 << 20;
constexpr int short_calls_per_turn = 3;
constexpr double seconds_before_a_new_kind = 0.05;
constexpr double seconds_before_any = 2.0;
/// The cost of a further shadow communicator for processes that have one already.
constexpr double seconds_of_another = 0.002;

Decision theirs(Reason reason) {
  return {Contender::theirs, reason};
}

/// Decisions and readings of the clock cost time. Among calls that come too early for a decision,
/// one in eight is timed.
constexpr std::size_t timed_one_in = 8;

Decision too_soon() {
  return {Contender::theirs, Reason::too_soon, nullptr, static_cast<int>(timed_one_in)};
}

void note_settled(CommunicatorRecord& record, MPI_Comm communicator, const CallClass& its_class,
                  Contender winner) {
  record.settled[its_class] = winner;
  if (winner == Contender::ours) return;
  const auto [called, width] = its_class;
  record.left_to_mpi[static_cast<std::size_t>(called)] |= std::uint64_t{1} << width;
  if (!threads_at_once()) fast_pass_through.note(communicator, record.size, called, width);
}

/// True if the ranks should make a shadow communicator. They compare the time spent when a kind of
/// call is new (in benchmarks that is before the measurement), and otherwise at growing intervals.
bool pays(CommunicatorRecord& record, MPI_Comm communicator, bool new_kind, std::size_t bytes) {
  Processes& processes = *record.processes;
  if (!processes.on_one_node && bytes >= long_for_a_network) return true;
  if (!new_kind && !std::has_single_bit(processes.calls)) return false;
  std::array<double, 1> seconds = {processes.seconds};
  agree_on_greatest(std::span(seconds), communicator);
  return seconds[0] >= (new_kind ? seconds_before_a_new_kind : seconds_before_any);
}

Decision force(CommunicatorRecord& record, MPI_Comm communicator) {
  if (!record.ours) make_shadow(record, communicator);
  if (!record.ours) return theirs(Reason::nothing_to_gain);
  return {Contender::ours, Reason::forced};
}

}  // namespace

std::size_t common_length(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                          std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  RecentLengths& recent = record.recent_lengths[called];
  if (recent.add(bytes)) {
    RecentLengths& of_requests = record.recent_lengths_of_requests[called];
    std::array<std::int64_t, 2 * RecentLengths::remembered> lengths = {};
    const auto middle = std::ranges::copy(recent.lengths(), lengths.begin()).out;
    std::ranges::copy(of_requests.lengths(), middle);
    agree_on_greatest(std::span(lengths), communicator);
    recent.agree(std::span(lengths).first<RecentLengths::remembered>());
    of_requests.agree(std::span(lengths).last<RecentLengths::remembered>());
  }
  return recent.expected();
}

std::size_t common_length_of_request(CommunicatorRecord& record, Called called, std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  RecentLengths& recent = record.recent_lengths_of_requests[called];
  static_cast<void>(recent.add(bytes));
  return recent.expected();
}

std::size_t common_length_of_persistent(MPI_Comm communicator, Called called, std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  std::array<std::int64_t, 1> greatest = {static_cast<std::int64_t>(bytes)};
  agree_on_greatest(std::span(greatest), communicator);
  return static_cast<std::size_t>(greatest[0]);
}

bool passes_unthought(CommunicatorRecord& record, Called called, std::size_t bytes) {
  Processes& processes = *record.processes;
  ++processes.calls;
  if (processes.hopeless) return true;
  if (record.ours || settings().force() || !processes.surveyed) return false;
  const CallClass its_class = class_of(called, bytes);
  std::uint64_t& seen = processes.seen[static_cast<std::size_t>(called)];
  const std::uint64_t bit = std::uint64_t{1} << its_class.second;
  if ((std::exchange(seen, seen | bit) & bit) == 0) return false;
  const bool long_enough = !processes.on_one_node && bytes >= long_for_a_network;
  const auto trial = processes.trials.find(its_class);
  const bool settled = trial != processes.trials.end() && trial->second.settled();
  return !long_enough && !settled && processes.calls % timed_one_in != 0 &&
         !std::has_single_bit(processes.calls);
}

Decision decide_blocking(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                         std::size_t bytes) {
  if (record.never || record.processes->hopeless) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return force(record, communicator);

  Processes& processes = *record.processes;
  const CallClass its_class = class_of(called, bytes);
  const auto [entry, new_kind] =
      processes.trials.try_emplace(its_class, bytes < long_for_a_turn ? short_calls_per_turn : 1);
  OnlineTrial& trial = entry->second;
  if (trial.settled() && trial.lock() == Contender::theirs) {
    note_settled(record, communicator, its_class, Contender::theirs);
    return theirs(Reason::quicker);
  }

  if (!record.ours) {
    if (!processes.surveyed) {
      const bool alone = processes.calls < 2 && bytes < long_for_a_network;
      if (alone) return too_soon();
      survey(record, communicator);
    }
    if (trial.settled()) {
      record.could_have_saved += trial.saves();
      if (record.could_have_saved < seconds_of_another) return theirs(Reason::too_soon);
    } else if (!pays(record, communicator, new_kind, bytes)) {
      return too_soon();
    }
    make_shadow(record, communicator);
    if (!record.ours) return theirs(Reason::nothing_to_gain);
  }
  if (!trial.settled() && trial.times() == OnlineTrial::Times()) {
    if (const auto known = known_beforehand(record, called, bytes)) trial = *known;
  }
  if (trial.settled()) trial.defend();
  if (!trial.settled()) return {trial.lock(), Reason::trial, &trial, 1};
  note_settled(record, communicator, its_class, trial.lock());
  return {trial.lock(), Reason::quicker, &trial};
}

Decision decide_non_blocking(const CommunicatorRecord& record, Called called, std::size_t bytes) {
  // The decision ignores whether the processes are hopeless. Another communicator may have found
  // that out before this call on some ranks and after it on others.
  if (record.never || !record.ours) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return {Contender::ours, Reason::forced};
  const auto settled = record.settled.find(class_of(called, bytes));
  if (settled == record.settled.end()) return theirs(Reason::too_soon);
  return {settled->second, Reason::quicker};
}

Decision decide_persistent(CommunicatorRecord& record, MPI_Comm communicator, Called called,
                           std::size_t bytes) {
  Processes& processes = *record.processes;
  if (processes.hopeless) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return force(record, communicator);
  const auto trial = processes.trials.find(class_of(called, bytes));
  const bool settled = trial != processes.trials.end() && trial->second.settled();
  if (settled && trial->second.lock() == Contender::theirs) return theirs(Reason::quicker);

  if (!record.ours) {
    if (!processes.surveyed) survey(record, communicator);
    const bool by_network = !processes.on_one_node && bytes >= long_for_a_network;
    if (!settled && !by_network) return theirs(Reason::too_soon);
    make_shadow(record, communicator);
    if (!record.ours) return theirs(Reason::nothing_to_gain);
  }
  if (!settled && !known_beforehand(record, called, bytes)) return theirs(Reason::too_soon);
  return {Contender::ours, Reason::quicker};
}

void took(CommunicatorRecord& record, MPI_Comm communicator, const Decision& decision,
          double seconds) {
  if (decision.side == Contender::theirs)
    record.processes->seconds += seconds * decision.stands_for;
  report_time(decision, communicator, seconds);
}

}  // namespace cuboid::detail::drop_in
