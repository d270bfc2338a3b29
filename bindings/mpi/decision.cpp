#include "bindings/mpi/decision.hpp"

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/counterpart.hpp"
#include "bindings/dropin/handed_on_at_once.hpp"
#include "bindings/dropin/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace cuboid::detail::drop_in {

namespace {

using Contender = Contest::Contender;

/// A counterpart costs some hundredths of a second; on a network, long calls soon regain that time.
constexpr std::size_t long_for_a_network = 1 << 20;
/// Shorter calls in a row overlap.
constexpr std::size_t long_for_a_turn = 1 << 20;
constexpr int short_calls_per_turn = 3;
constexpr double seconds_before_a_new_kind = 0.05;
constexpr double seconds_before_any = 2.0;
/// The cost of a further counterpart for processes that have one already.
constexpr double seconds_of_another = 0.002;

Decision theirs(Reason reason) {
  return {Contender::theirs, reason};
}

/// Decisions and clock reads cost time: of calls that come too early for a decision, one in eight
/// is timed.
constexpr std::size_t timed_one_in = 8;

Decision too_soon() {
  return {Contender::theirs, Reason::too_soon, nullptr, static_cast<int>(timed_one_in)};
}

void note_settled(Followed& followed, MPI_Comm communicator, const CallClass& its_class,
                  Contender winner) {
  followed.settled[its_class] = winner;
  if (winner == Contender::ours) return;
  const auto [called, width] = its_class;
  followed.left_to_mpi[static_cast<std::size_t>(called)] |= std::uint64_t{1} << width;
  if (!threads_at_once()) handed_on_at_once.note(communicator, followed.size, called, width);
}

/// True if the ranks should make a counterpart. They compare the time spent when a kind of call is
/// new, which in benchmarks is before the measurement, and otherwise at growing intervals.
bool pays(Followed& followed, MPI_Comm communicator, bool new_kind, std::size_t bytes) {
  Processes& processes = *followed.processes;
  if (!processes.on_one_node && bytes >= long_for_a_network) return true;
  if (!new_kind && !std::has_single_bit(processes.calls)) return false;
  std::array<double, 1> seconds = {processes.seconds};
  agree_on_greatest(std::span(seconds), communicator);
  return seconds[0] >= (new_kind ? seconds_before_a_new_kind : seconds_before_any);
}

Decision force(Followed& followed, MPI_Comm communicator) {
  if (!followed.ours) make_counterpart(followed, communicator);
  if (!followed.ours) return theirs(Reason::nothing_to_gain);
  return {Contender::ours, Reason::forced};
}

}  // namespace

std::size_t common_length(Followed& followed, MPI_Comm communicator, Called called,
                          std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  RecentLengths& recent = followed.recent_lengths[called];
  if (recent.add(bytes)) {
    RecentLengths& of_requests = followed.recent_lengths_of_requests[called];
    std::array<std::int64_t, 2 * RecentLengths::remembered> lengths = {};
    const auto middle = std::ranges::copy(recent.lengths(), lengths.begin()).out;
    std::ranges::copy(of_requests.lengths(), middle);
    agree_on_greatest(std::span(lengths), communicator);
    recent.agree(std::span(lengths).first<RecentLengths::remembered>());
    of_requests.agree(std::span(lengths).last<RecentLengths::remembered>());
  }
  return recent.expected();
}

std::size_t common_length_of_request(Followed& followed, Called called, std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  RecentLengths& recent = followed.recent_lengths_of_requests[called];
  static_cast<void>(recent.add(bytes));
  return recent.expected();
}

std::size_t common_length_of_persistent(MPI_Comm communicator, Called called, std::size_t bytes) {
  if (length_known_to_all(called)) return bytes;
  std::array<std::int64_t, 1> greatest = {static_cast<std::int64_t>(bytes)};
  agree_on_greatest(std::span(greatest), communicator);
  return static_cast<std::size_t>(greatest[0]);
}

bool passes_unthought(Followed& followed, Called called, std::size_t bytes) {
  Processes& processes = *followed.processes;
  ++processes.calls;
  if (processes.hopeless) return true;
  if (followed.ours || settings().force() || !processes.surveyed) return false;
  const CallClass its_class = class_of(called, bytes);
  std::uint64_t& seen = processes.seen[static_cast<std::size_t>(called)];
  const std::uint64_t bit = std::uint64_t{1} << its_class.second;
  if ((std::exchange(seen, seen | bit) & bit) == 0) return false;
  const bool long_enough = !processes.on_one_node && bytes >= long_for_a_network;
  const auto contest = processes.contests.find(its_class);
  const bool settled = contest != processes.contests.end() && contest->second.settled();
  return !long_enough && !settled && processes.calls % timed_one_in != 0 &&
         !std::has_single_bit(processes.calls);
}

Decision decide_blocking(Followed& followed, MPI_Comm communicator, Called called,
                         std::size_t bytes) {
  if (followed.never || followed.processes->hopeless) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return force(followed, communicator);

  Processes& processes = *followed.processes;
  const CallClass its_class = class_of(called, bytes);
  const auto [entry, new_kind] =
      processes.contests.try_emplace(its_class, bytes < long_for_a_turn ? short_calls_per_turn : 1);
  Contest& contest = entry->second;
  if (contest.settled() && contest.lock() == Contender::theirs) {
    note_settled(followed, communicator, its_class, Contender::theirs);
    return theirs(Reason::quicker);
  }

  if (!followed.ours) {
    if (!processes.surveyed) {
      const bool alone = processes.calls < 2 && bytes < long_for_a_network;
      if (alone) return too_soon();
      survey(followed, communicator);
    }
    if (contest.settled()) {
      followed.could_have_saved += contest.saves();
      if (followed.could_have_saved < seconds_of_another) return theirs(Reason::too_soon);
    } else if (!pays(followed, communicator, new_kind, bytes)) {
      return too_soon();
    }
    make_counterpart(followed, communicator);
    if (!followed.ours) return theirs(Reason::nothing_to_gain);
  }
  if (!contest.settled() && contest.times() == Contest::Times()) {
    if (const auto known = known_beforehand(followed, called, bytes)) contest = *known;
  }
  if (contest.settled()) contest.defend();
  if (!contest.settled()) return {contest.lock(), Reason::contest, &contest, 1};
  note_settled(followed, communicator, its_class, contest.lock());
  return {contest.lock(), Reason::quicker, &contest};
}

Decision decide_non_blocking(const Followed& followed, Called called, std::size_t bytes) {
  // The decision ignores whether the processes are hopeless: another communicator may have found
  // that before this call on some ranks and after it on others.
  if (followed.never || !followed.ours) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return {Contender::ours, Reason::forced};
  const auto settled = followed.settled.find(class_of(called, bytes));
  if (settled == followed.settled.end()) return theirs(Reason::too_soon);
  return {settled->second, Reason::quicker};
}

Decision decide_persistent(Followed& followed, MPI_Comm communicator, Called called,
                           std::size_t bytes) {
  Processes& processes = *followed.processes;
  if (processes.hopeless) return theirs(Reason::nothing_to_gain);
  if (settings().force()) return force(followed, communicator);
  const auto contest = processes.contests.find(class_of(called, bytes));
  const bool settled = contest != processes.contests.end() && contest->second.settled();
  if (settled && contest->second.lock() == Contender::theirs) return theirs(Reason::quicker);

  if (!followed.ours) {
    if (!processes.surveyed) survey(followed, communicator);
    const bool by_network = !processes.on_one_node && bytes >= long_for_a_network;
    if (!settled && !by_network) return theirs(Reason::too_soon);
    make_counterpart(followed, communicator);
    if (!followed.ours) return theirs(Reason::nothing_to_gain);
  }
  if (!settled && !known_beforehand(followed, called, bytes)) return theirs(Reason::too_soon);
  return {Contender::ours, Reason::quicker};
}

void took(Followed& followed, MPI_Comm communicator, const Decision& decision, double seconds) {
  if (decision.side == Contender::theirs)
    followed.processes->seconds += seconds * decision.stands_for;
  report_time(decision, communicator, seconds);
}

}  // namespace cuboid::detail::drop_in
