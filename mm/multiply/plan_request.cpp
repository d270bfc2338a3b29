#include "mm/multiply/plan_request.hpp"

#include <cuboid/error.hpp>

#include "mm/multiply/multiplication_table.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

PlanRequest plan_request(const ProductSize& size, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options) {
  if (options.memory_limit && *options.memory_limit < 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("multiply: memory limit {}: give 0 or more bytes", *options.memory_limit));
  }
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
  check_request(request);
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
