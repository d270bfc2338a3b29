#include "mm/multiply/plan_request.hpp"

#include <cuboid/error.hpp>

#include "mm/multiply/multiplication_table.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

[[noreturn]] void reject(const std::string& message) {
  throw Error(ErrorCode::invalid_argument, "multiply: " + message);
}

void check_options(const MultiplyOptions& options, int ranks) {
  if (options.panel_width && *options.panel_width < 1) {
    reject(fmt::format("panel width {}: give at least 1", *options.panel_width));
  }
  if (options.outer_width && *options.outer_width < options.panel_width.value_or(1)) {
    reject(fmt::format("outer width {}: give at least the panel width, {}", *options.outer_width,
                       options.panel_width.value_or(1)));
  }
  if (options.layers && (*options.layers < 1 || *options.layers > ranks)) {
    reject(fmt::format("{} layers of {} ranks: give 1 to {}", *options.layers, ranks, ranks));
  }
  if (options.groups.count && *options.groups.count < 1) {
    reject(fmt::format("{} groups: give at least 1", *options.groups.count));
  }
  if (options.memory_limit && *options.memory_limit < 0) {
    reject(fmt::format("memory limit {}: give 0 or more bytes", *options.memory_limit));
  }
  if (options.grid && options.grid->size() > ranks) {
    reject(fmt::format("a {} grid needs {} ranks, there are {}: give a smaller grid or more ranks",
                       to_string(*options.grid), options.grid->size(), ranks));
  }
}

}  // namespace

PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options) {
  check_options(options, ranks);
  PlanRequest request{.size = size, .element_bytes = element_bytes, .ranks = ranks};
  if (options.memory_limit) {
    request.memory = *options.memory_limit / static_cast<std::int64_t>(element_bytes);
  }
  request.rounds = options.rounds;
  request.grid = options.grid;
  request.bricks = options.bricks;
  request.panel_width = options.panel_width;
  request.outer_width = options.outer_width;
  request.groups = options.groups;
  request.layers = options.layers;
  request.inside = options.inside;
  request.sides = options.sides;
  return request;
}

std::vector<PlanCandidate> plan_candidates(const PlanRequest& request, const Rates& rates,
                                           std::span<const MultiplicationAlgorithm> algorithms) {
  Planning planning(request, rates);
  for (const MultiplicationAlgorithm algorithm : algorithms)
    entry_of(algorithm).add_candidates(planning);
  return std::move(planning).sorted();
}

std::vector<PlanCandidate> candidates_for(const PlanRequest& request, const Rates& rates,
                                          const MultiplyOptions& options) {
  if (options.algorithm != MultiplicationAlgorithm::automatic)
    return plan_candidates(request, rates, std::span(&options.algorithm, 1));
  std::vector<MultiplicationAlgorithm> algorithms;
  for (const MultiplicationEntry& entry : multiplication_table()) {
    if (entry.heeds_all(options)) algorithms.push_back(entry.algorithm);
  }
  return plan_candidates(request, rates, algorithms);
}

}  // namespace cuboid::detail
