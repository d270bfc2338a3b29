#include "mm/multiply/plan_text.hpp"

#include <cuboid/multiply.hpp>

#include "base/page_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// A percentage of two digits, rounded down.
std::string percent(double share) {
  return 100 * share < 10 ? fmt::format("{:.2g}", 100 * share)
                          : fmt::format("{:.0f}", std::floor(100 * share));
}

std::string memory_text(const PlanCandidate& candidate, const PlanRequest& request) {
  constexpr double mebi = 1024 * 1024;
  return fmt::format("{:.2f} MiB",
                     candidate.memory * static_cast<double>(request.element_bytes) / mebi);
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
      text += candidate.sample_groups ? ", measured groups"
                                      : fmt::format(", {} groups", to_string(candidate.groups));
    }
  }
  if (candidate.layered && candidate.inside == LayerAlgorithm::slabs)
    return text + fmt::format(" in {} slab{}", candidate.rounds, candidate.rounds > 1 ? "s" : "");
  if (candidate.row_tiles * candidate.column_tiles > 1)
    text += fmt::format(" in {}x{} tiles", candidate.row_tiles, candidate.column_tiles);
  if (candidate.rounds > 1) text += fmt::format(" in {} rounds", candidate.rounds);
  if (candidate.layered) text += fmt::format(", {} inside", to_string(candidate.inside));
  if (candidate.replicated_operands) text += ", replicated operands";
  return text;
}

namespace {

std::string explanation(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  std::vector<PageRow> rows;
  const char* mark = "* ";
  for (const PlanCandidate& candidate : candidates) {
    rows.push_back({.section = "",
                    .cells = {mark + std::string(to_string(candidate.algorithm)),
                              describe_grid(candidate), fmt::format("{:.4g}", candidate.seconds),
                              fmt::format("{:.4g}", candidate.compute_seconds),
                              fmt::format("{:.4g}", candidate.communicate_seconds),
                              fmt::format("{:.0f}", candidate.words),
                              fmt::format("{:.0f}", candidate.messages),
                              memory_text(candidate, request), candidate.fits ? "yes" : "no"}});
    mark = "  ";
  }
  constexpr std::size_t labels = 2;
  std::string text = page_table({"  algorithm", "grid", "seconds", "compute", "communicate",
                                 "words", "messages", "memory", "fits"},
                                labels, rows);
  text += fmt::format("lower bound, all ranks, no shared memory: {:.0f} words\n",
                      lower_bound_words(request));
  if (candidates.empty()) return text;
  const PlanCandidate& winner = candidates.front();
  const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return candidate.algorithm != winner.algorithm && candidate.fits;
  });
  text += fmt::format("Chosen: {} {}. ", to_string(winner.algorithm), describe_grid(winner));
  if (!winner.fits) return text + "It needs the least memory, but more than is available.\n";
  if (other == candidates.end()) {
    const bool alone = std::ranges::all_of(candidates, [&](const PlanCandidate& candidate) {
      return candidate.algorithm == winner.algorithm;
    });
    return text + (alone ? "No other algorithm was requested.\n" : "No other algorithm fits.\n");
  }
  const double hidden = winner.compute_seconds + winner.communicate_seconds - winner.seconds;
  const double gain = other->seconds > 0 ? 1 - winner.seconds / other->seconds : 0;
  const std::string runner_up =
      fmt::format("{} {}", to_string(other->algorithm), describe_grid(*other));
  if (gain > 0) {
    text += fmt::format("It is predicted to be {}% faster than {}.\n", percent(gain), runner_up);
  } else {
    text +=
        fmt::format("It is predicted to be {} {}, with {:.0f}% of the memory.\n",
                    gain < 0 ? fmt::format("only {}% slower than", percent(-gain)) : "as fast as",
                    runner_up, 100 * winner.memory / other->memory);
  }
  text += fmt::format(
      "The busiest rank receives {:.0f} words in {:.0f} messages; with {}, {:.0f} words in {:.0f} "
      "messages.\n",
      winner.words, winner.messages, to_string(other->algorithm), other->words, other->messages);
  if (winner.communicate_seconds > 0) {
    text += fmt::format("Local multiplication hides {:.0f}% of the communication.\n",
                        100 * std::clamp(hidden / winner.communicate_seconds, 0.0, 1.0));
  }
  return text;
}

}  // namespace

std::string explain(const std::vector<PlanCandidate>& candidates, const PlanRequest& request) {
  constexpr std::size_t indent = 2;
  return folded(explanation(candidates, request), indent);
}

}  // namespace cuboid::detail
