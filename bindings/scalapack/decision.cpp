#include "bindings/scalapack/decision.hpp"

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/counterpart.hpp"
#include "bindings/dropin/gate.hpp"
#include "bindings/scalapack/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <limits>
#include <span>
#include <utility>

namespace cuboid::detail::scalapack {

namespace {

using drop_in::Contest;
using Contender = Contest::Contender;

/// Making a counterpart costs some hundredths of a second.
constexpr double seconds_before_a_counterpart = 0.05;

Decision theirs(Reason reason) {
  return {Contender::theirs, reason};
}

bool has_counterpart(Context& context) {
  drop_in::Followed& followed = *context.followed;
  if (!followed.ours && !context.choices->hopeless) {
    drop_in::make_counterpart(followed, context.communicator);
    context.choices->hopeless = !followed.ours;
  }
  return followed.ours.has_value();
}

/// True if Cuboid is predicted to be so slow that the models' error cannot explain it; then Cuboid
/// is not tried.
bool is_hopeless(double predicted, double theirs) {
  constexpr double clear = 1.5;
  return predicted > clear * theirs;
}

/// True if the calls only move elements.
bool moves(const CallClass& its_class) {
  return its_class.routine == Routine::add || its_class.routine == Routine::copy;
}

/// True if the first call of a class is warm-up: the first call of its routine connects processes,
/// and a call that only moves elements may be the first to touch their memory.
bool warms_up(Choices& choices, const CallClass& its_class) {
  return choices.called.insert(its_class.routine).second || moves(its_class);
}

/// Shorter calls in a row overlap, so a turn is several of them.
int calls_per_turn(const CallClass& its_class) {
  constexpr int short_calls = 3;
  constexpr int moved = 22, multiplied = 30;  // binary logarithms of elements, multiplications
  const auto [m, n, k] = its_class.extents;
  const int third = k < 0 ? std::min(m, n) : k;  // most routines name two extents
  return (moves(its_class) ? m + n < moved : m + n + third < multiplied) ? short_calls : 1;
}

/// Decides for the side whose turn it is. All ranks meet before a turn: a rank may leave a call of
/// the other side early, and would count the others' rest of it against this one.
Decision take_turn(const Context& context, Contest& contest) {
  // waits: in the program's own call, whose ranks all come
  if (contest.begins_turn()) PMPI_Barrier(context.communicator);
  return {contest.lock(), Reason::contest, &contest, 1};
}

/// Long calls are few: a difference that exceeds the noise settles the contest, and so does
/// Cuboid's failure to be any faster in two turns after the first. A single turn of each, unless it
/// took very long, may be all noise where ranks share cores.
void settle_where_clear(Contest& contest, const Contest::Times& slowest) {
  constexpr double long_call = 0.02, very_long_call = 0.5;
  constexpr double more_than_noise = 1.15, more_than_noise_of_one_turn = 1.5;
  const auto [theirs, ours] = slowest;
  if (theirs + ours < long_call) return;
  const int turns = contest.turns_of_each();
  const bool sure = turns > 1 || theirs >= very_long_call;
  if (theirs > (sure ? more_than_noise : more_than_noise_of_one_turn) * ours) {
    contest.settle(Contest::Contender::ours);
  } else if (turns > 1 && ours > (turns > 2 ? 1 : more_than_noise) * theirs) {
    contest.settle(Contest::Contender::theirs);
  }
}

/// Calls that cannot be planned are rejected on all ranks.
double predicted_or_never(const std::function<double()>& predict) {
  try {
    return predict();
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

Decision decide(Context& context, const CallClass& its_class,
                const std::function<double()>& predict) {
  if (settings().mode == ScalapackSettings::Mode::force) {
    if (!has_counterpart(context)) return theirs(Reason::nothing_to_gain);
    return {Contender::ours, Reason::forced};
  }
  Choices& choices = *context.choices;
  if (choices.hopeless) return theirs(Reason::nothing_to_gain);
  const auto [known, is_new] = choices.contests.try_emplace(its_class, calls_per_turn(its_class));
  Contest& contest = known->second;
  if (is_new && warms_up(choices, its_class))
    return {Contender::theirs, Reason::too_soon, nullptr, 1};
  if (contest.settled() && contest.lock() == Contender::ours) contest.defend();
  if (contest.settled()) {
    if (contest.lock() == Contender::theirs) return {Contender::theirs, Reason::quicker, &contest};
    if (!has_counterpart(context)) return theirs(Reason::nothing_to_gain);
    return {Contender::ours, Reason::quicker, &contest};
  }
  if (contest.lock() == Contender::theirs) return take_turn(context, contest);
  if (!context.followed->ours) {
    if (choices.agreed_seconds < seconds_before_a_counterpart)
      return {Contender::theirs, Reason::too_soon, nullptr, 1};
    if (!has_counterpart(context)) return theirs(Reason::nothing_to_gain);
  }
  if (contest.ours_is_untried()) {
    std::array<double, 1> slowest = {contest.times()[0]};
    drop_in::agree_on_greatest(std::span(slowest), context.communicator);
    const drop_in::Inside inside;
    if (is_hopeless(predicted_or_never(predict), slowest[0])) {
      contest = Contest::won_by_theirs();
      return theirs(Reason::quicker);
    }
  }
  return take_turn(context, contest);
}

void took(Context& context, const Decision& decision, double seconds) {
  Choices& choices = *context.choices;
  if (decision.side == Contender::theirs) {
    choices.local_seconds += seconds;
    if (!context.followed->ours && std::has_single_bit(++choices.calls)) {
      std::array<double, 1> spent = {std::exchange(choices.local_seconds, 0.0)};
      drop_in::agree_on_greatest(std::span(spent), context.communicator);
      choices.agreed_seconds += spent[0];
    }
  }
  const auto slowest = drop_in::report_time(decision, context.communicator, seconds);
  if (slowest && !decision.contest->settled() && decision.contest->is_even())
    settle_where_clear(*decision.contest, *slowest);
}

}  // namespace cuboid::detail::scalapack
