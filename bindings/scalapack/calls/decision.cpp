#include "bindings/scalapack/calls/decision.hpp"

#include "bindings/dropin/agreement.hpp"
#include "bindings/dropin/shadow_communicator.hpp"
#include "bindings/dropin/tally.hpp"
#include "bindings/dropin/ticket_lock.hpp"
#include "bindings/scalapack/calls/settings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::scalapack {

namespace {

using drop_in::OnlineTrial;
using Contender = OnlineTrial::Contender;

/// Making a shadow communicator takes some hundredths of a second.
constexpr double seconds_before_a_shadow = 0.05;

Decision theirs(Reason reason) {
  return {Contender::theirs, reason};
}

bool has_shadow(Context& context) {
  drop_in::CommunicatorRecord& record = *context.record;
  if (!record.ours && !context.choices->hopeless) {
    drop_in::make_shadow(record, context.communicator);
    context.choices->hopeless = !record.ours;
  }
  return record.ours.has_value();
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

/// The number of calls in a turn. Short calls in a row overlap, so a turn consists of several of
/// them.
int calls_per_turn(const CallClass& its_class) {
  constexpr int short_calls = 3;
  constexpr int moved = 22, multiplied = 30;  // binary logarithms of elements, multiplications
  const auto [m, n, k] = its_class.extents;
  const int third = k < 0 ? std::min(m, n) : k;  // most routines name two extents
  return (moves(its_class) ? m + n < moved : m + n + third < multiplied) ? short_calls : 1;
}

/// Decides for the side whose turn it is. All ranks meet before a turn: a rank may leave a call of
/// the other side early, and would count the rest of the other ranks' call in this turn.
Decision take_turn(const Context& context, OnlineTrial& trial) {
  // waits: in the program's own call, whose ranks all come
  if (trial.begins_turn()) PMPI_Barrier(context.communicator);
  return {trial.lock(), Reason::trial, &trial, 1};
}

/// Ends a trial of long calls early. Long calls are few. So a difference that exceeds the noise
/// ends the trial, and so does Cuboid's failure to become faster in two turns after the first. A
/// single turn of each side, unless it took very long, may be only noise if ranks share cores.
void settle_where_clear(OnlineTrial& trial, const OnlineTrial::Times& slowest) {
  constexpr double long_call = 0.02, very_long_call = 0.5;
  constexpr double more_than_noise = 1.15, more_than_noise_of_one_turn = 1.5;
  const auto [theirs, ours] = slowest;
  if (theirs + ours < long_call) return;
  const int turns = trial.turns_of_each();
  const bool sure = turns > 1 || theirs >= very_long_call;
  if (theirs > (sure ? more_than_noise : more_than_noise_of_one_turn) * ours) {
    trial.settle(OnlineTrial::Contender::ours);
  } else if (turns > 1 && ours > (turns > 2 ? 1 : more_than_noise) * theirs) {
    trial.settle(OnlineTrial::Contender::theirs);
  }
}

/// The predicted seconds; infinite for calls that cannot be planned. These are rejected on all
/// ranks.
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
    if (!has_shadow(context)) return theirs(Reason::nothing_to_gain);
    return {Contender::ours, Reason::forced};
  }
  Choices& choices = *context.choices;
  if (choices.hopeless) return theirs(Reason::nothing_to_gain);
  const auto [known, is_new] = choices.trials.try_emplace(its_class, calls_per_turn(its_class));
  OnlineTrial& trial = known->second;
  if (is_new && warms_up(choices, its_class))
    return {Contender::theirs, Reason::too_soon, nullptr, 1};
  if (trial.settled() && trial.lock() == Contender::ours) trial.defend();
  if (trial.settled()) {
    if (trial.lock() == Contender::theirs) return {Contender::theirs, Reason::quicker, &trial};
    if (!has_shadow(context)) return theirs(Reason::nothing_to_gain);
    return {Contender::ours, Reason::quicker, &trial};
  }
  if (trial.lock() == Contender::theirs) return take_turn(context, trial);
  if (!context.record->ours) {
    if (choices.agreed_seconds < seconds_before_a_shadow)
      return {Contender::theirs, Reason::too_soon, nullptr, 1};
    if (!has_shadow(context)) return theirs(Reason::nothing_to_gain);
  }
  if (trial.ours_is_untried()) {
    std::array<double, 1> slowest = {trial.times()[0]};
    drop_in::agree_on_greatest(std::span(slowest), context.communicator);
    const std::lock_guard guard(drop_in::cuboid_lock());
    if (is_hopeless(predicted_or_never(predict), slowest[0])) {
      trial = OnlineTrial::won_by_theirs();
      return theirs(Reason::quicker);
    }
  }
  return take_turn(context, trial);
}

void took(Context& context, const Decision& decision, double seconds) {
  Choices& choices = *context.choices;
  if (decision.side == Contender::theirs) {
    choices.local_seconds += seconds;
    if (!context.record->ours && std::has_single_bit(++choices.calls)) {
      std::array<double, 1> spent = {std::exchange(choices.local_seconds, 0.0)};
      drop_in::agree_on_greatest(std::span(spent), context.communicator);
      choices.agreed_seconds += spent[0];
    }
  }
  const auto slowest = drop_in::report_time(decision, context.communicator, seconds);
  if (slowest && !decision.trial->settled() && decision.trial->is_even())
    settle_where_clear(*decision.trial, *slowest);
}

namespace {

drop_in::Tally<CallClass>& tally() {
  static auto& one = *new drop_in::Tally<CallClass>;
  return one;
}

std::string extents_of(const CallClass& its_class) {
  std::string text;
  for (const int logarithm : its_class.extents) {
    if (logarithm >= 0) text += fmt::format("{}{}", text.empty() ? "" : "x", 1LL << logarithm);
  }
  return text;
}

void print() {
  const auto line_of = [](const CallClass& its_class, const char* carried, const auto& counted) {
    const std::string elsewhere =
        counted.elsewhere > 0 ? fmt::format(", {:.3g} s expected of the other", counted.elsewhere)
                              : "";
    return fmt::format("p{}{:12} {:>18} on {}x{} {:>6} times {:10} {:9.3g} s{}", its_class.type,
                       name_of(its_class.routine), extents_of(its_class), its_class.grid[0],
                       its_class.grid[1], counted.calls, carried, counted.seconds, elsewhere);
  };
  tally().print("cuboid-scalapack", "ScaLAPACK",
                "with extents from the stated ones to twice as many", line_of);
}

}  // namespace

void count(const CallClass& its_class, const Decision& decision, double seconds) {
  tally().count(its_class, decision.side, decision.reason, decision.trial, seconds, &print);
}

}  // namespace cuboid::detail::scalapack
