#include "mm/plan/planner.hpp"

#include <cuboid/error.hpp>

#include "mm/plan/candidate_costs.hpp"
#include "models/multiplication/lower_bounds.hpp"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

/// The options that the user has fixed and may change, as text.
std::string what_to_give_instead(const PlanRequest& request) {
  std::vector<std::string> fixed;
  if (request.grid) fixed.push_back(fmt::format("a {} grid", to_string(*request.grid)));
  if (request.bricks) fixed.push_back(fmt::format("a {} grid", fmt::join(*request.bricks, "x")));
  if (request.idle_fraction)
    fixed.push_back(fmt::format("at most {} of the ranks idle", *request.idle_fraction));
  if (request.layers) fixed.push_back(fmt::format("{} layers", *request.layers));
  const auto& groups = request.groups;
  if (groups.shape) fixed.push_back(fmt::format("{} groups", to_string(*groups.shape)));
  if (groups.count) fixed.push_back(fmt::format("{} groups", *groups.count));
  if (groups.sample) fixed.emplace_back("measured groups");
  if (request.outer_width) fixed.push_back(fmt::format("outer panels of {}", *request.outer_width));
  if (request.panel_width) fixed.push_back(fmt::format("panels of {}", *request.panel_width));
  if (request.inside) fixed.emplace_back("a choice inside layers");
  if (request.replicated_operands) fixed.emplace_back("replicated operands");
  if (request.rounds) fixed.push_back(fmt::format("{} rounds", *request.rounds));
  if (request.sides == Sidedness::one_sided) fixed.emplace_back("one-sided exchanges");
  if (request.copied_blocks) fixed.emplace_back("copied blocks");
  if (request.blocking_gets) fixed.emplace_back("blocking gets");
  if (request.blocks_by_arrival) fixed.emplace_back("blocks by arrival");
  if (request.one_direction) fixed.emplace_back("shifts in one direction");
  if (request.binary_tree) fixed.emplace_back("a binary tree");
  if (fixed.empty()) return ": give another algorithm";
  return fmt::format(" with {}: give {}, or none", fmt::join(fixed, " and "),
                     fixed.size() > 1 ? "others" : "another");
}

}  // namespace

void check_request(const PlanRequest& request) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "multiply: " + message);
  };
  const auto at_least = [&](const char* what, const auto& value, std::int64_t least) {
    if (value && *value < least)
      reject(fmt::format("{} {}: give at least {}", what, *value, least));
  };
  const auto& [m, n, k] = request.size;
  const int ranks = request.ranks;
  if (ranks < 1) reject(fmt::format("{} ranks: give at least 1", ranks));
  if (m < 0 || n < 0 || k < 0) {
    reject(fmt::format("{} x {} x {}: give extents of 0 or more", m, n, k));
  }
  at_least("panel width", request.panel_width, 1);
  at_least("outer width", request.outer_width, request.panel_width.value_or(1));
  at_least("number of groups", request.groups.count, 1);
  at_least("number of rounds", request.rounds, 1);
  if (request.rounds && k > 0 && *request.rounds > k) {
    reject(
        fmt::format("{} rounds for an inner dimension of {}: give 1 to {}", *request.rounds, k, k));
  }
  if (request.idle_fraction && !(*request.idle_fraction >= 0 && *request.idle_fraction < 1))
    reject(fmt::format("idle fraction {}: give 0 or more, less than 1", *request.idle_fraction));
  if (request.layers && (*request.layers < 1 || *request.layers > ranks)) {
    reject(fmt::format("{} layers of {} ranks: give 1 to {}", *request.layers, ranks, ranks));
  }
  if (request.grid && request.grid->size() > ranks) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(*request.grid), request.grid->size(), ranks));
  }
  if (request.grid && !request.grid->is_on_first_ranks()) {
    reject(
        fmt::format("a {} grid that leaves out lower ranks than it has: give one of ranks 0 to {}",
                    to_string(*request.grid), request.grid->size() - 1));
  }
}

const PlanCandidate& cheapest(const std::vector<PlanCandidate>& candidates,
                              const PlanRequest& request) {
  const auto& [m, n, k] = request.size;
  if (candidates.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("planner: no algorithm for {} x {} x {} on {} ranks{}", m, n, k,
                            request.ranks, what_to_give_instead(request)));
  }
  const PlanCandidate& first = candidates.front();
  if (!first.fits) {
    const auto bytes = [&](double words) {
      return std::ceil(words) * static_cast<double>(request.element_bytes);
    };
    throw Error(ErrorCode::out_of_memory,
                fmt::format("planner: {} x {} x {} on {} ranks does not fit into {:.0f} bytes per "
                            "rank: allow {:.0f} bytes, or use more ranks",
                            m, n, k, request.ranks, bytes(static_cast<double>(*request.memory)),
                            bytes(first.memory)));
  }
  return first;
}

double lower_bound_words(const PlanRequest& request) {
  std::optional<double> memory;
  if (request.memory) memory = static_cast<double>(*request.memory);
  return least_received(extents_of(request.size), request.ranks, memory);
}

}  // namespace cuboid::detail
