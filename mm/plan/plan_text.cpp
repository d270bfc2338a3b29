#include "mm/plan/plan_text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Of two digits; never more than there is.
std::string percent(double share) {
  return 100 * share < 10 ? fmt::format("{:.2g}", 100 * share)
                          : fmt::format("{:.0f}", std::floor(100 * share));
}

}  // namespace

std::string describe_grid(const PlanCandidate& candidate) {
  std::string text;
  if (const auto& bricks = candidate.bricks) {
    text = fmt::format("{}x{}x{}", bricks->parts(WorkAxis::rows), bricks->parts(WorkAxis::columns),
                       bricks->parts(WorkAxis::inner));
  } else {
    text = to_string(candidate.grid);
    if (candidate.layered) text += fmt::format("x{}", candidate.layered->layers());
    if (candidate.algorithm == MultiplicationAlgorithm::hsumma) {
      text += candidate.sample_groups ? ", groups by trying"
                                      : fmt::format(", {} groups", to_string(candidate.groups));
    }
  }
  if (candidate.layered && candidate.inside == LayerAlgorithm::slabs)
    return text + fmt::format(" in {} slab{}", candidate.rounds, candidate.rounds > 1 ? "s" : "");
  if (candidate.rounds > 1) text += fmt::format(" in {} rounds", candidate.rounds);
  if (candidate.layered) text += fmt::format(", {} inside", to_string(candidate.inside));
  return text;
}

std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  std::string text =
      fmt::format("  {:<10} {:<38} {:>10} {:>10} {:>10} {:>12} {:>9} {:>12}\n", "algorithm", "grid",
                  "seconds", "compute", "exchange", "words", "messages", "memory");
  const char* mark = "*";
  for (const PlanCandidate& candidate : candidates) {
    text += fmt::format(
        "{} {:<10} {:<38} {:>10.4g} {:>10.4g} {:>10.4g} {:>12.0f} {:>9.0f} {:>12.0f}{}\n", mark,
        to_string(candidate.algorithm), describe_grid(candidate), candidate.seconds,
        candidate.compute_seconds, candidate.communicate_seconds, candidate.words,
        candidate.messages, candidate.memory, candidate.fits ? "" : "  does not fit");
    mark = " ";
  }
  text += fmt::format("  {:<46} {:>35.0f}\n", "least for all these ranks, sharing no memory",
                      lower_bound_words(request));
  if (candidates.empty()) return text;
  const PlanCandidate& winner = candidates.front();
  const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return candidate.algorithm != winner.algorithm && candidate.fits;
  });
  text += fmt::format("{} {}: ", to_string(winner.algorithm), describe_grid(winner));
  if (!winner.fits) return text + "needs the least memory, but more than there is\n";
  if (other == candidates.end()) {
    const bool alone = std::ranges::all_of(candidates, [&](const PlanCandidate& candidate) {
      return candidate.algorithm == winner.algorithm;
    });
    return text + (alone ? "no other algorithm was asked for\n" : "the only one that fits\n");
  }
  const double hidden = winner.compute_seconds + winner.communicate_seconds - winner.seconds;
  const double sooner = other->seconds > 0 ? 1 - winner.seconds / other->seconds : 0;
  if (sooner > 0) {
    text += fmt::format("done {}% sooner than ", percent(sooner));
  } else {
    text += fmt::format("done as soon{}, in {:.0f}% of the memory, as ",
                        sooner < 0 ? fmt::format(" but for {}%", percent(-sooner)) : "",
                        100 * winner.memory / other->memory);
  }
  text += fmt::format(
      "{} {}, which takes {:.0f} words and {:.0f} messages where it takes {:.0f} and {:.0f}; "
      "{:.0f}% of its exchange is hidden under the gemm\n",
      to_string(other->algorithm), describe_grid(*other), other->words, other->messages,
      winner.words, winner.messages,
      winner.communicate_seconds > 0
          ? 100 * std::clamp(hidden / winner.communicate_seconds, 0.0, 1.0)
          : 100.0);
  return text;
}

}  // namespace cuboid::detail
