#include "mm/multiply/plan_request.hpp"

#include <cuboid/error.hpp>

#include "mm/multiply/multiplication_table.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::string describe(const char* name, Op op, const Layout& stored) {
  if (op == Op::none) return fmt::format("{} is {}x{}", name, stored.m(), stored.n());
  return fmt::format("op({}) is {}x{} ({}x{}, {})", name, stored.n(), stored.m(), stored.m(),
                     stored.n(), to_string(op));
}

void check_shapes(const ProductLayouts& product) {
  const auto& [A, op_a, B, op_b, C] = product;
  const Layout left = applied(op_a, A), right = applied(op_b, B);
  const auto reject = [&](const std::string& message) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("multiply: {}, {}{}", describe("A", op_a, A), describe("B", op_b, B), message));
  };
  if (left.n() != right.m()) reject(": the columns of the first must be the rows of the second");
  if (C.m() != left.m() || C.n() != right.n()) {
    reject(fmt::format(", C is {}x{}: give a C of {}x{}", C.m(), C.n(), left.m(), right.n()));
  }
}

}  // namespace

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
  request.idle_fraction = options.idle_fraction;
  // A panel is at most as wide as the inner dimension.
  const auto within = [&](std::optional<std::int64_t> width) {
    if (width) *width = std::min(*width, std::max<std::int64_t>(size.k, 1));
    return width;
  };
  request.panel_width = within(options.panel_width);
  request.outer_width = within(options.outer_width);
  request.groups = options.groups;
  request.layers = options.layers;
  request.inside = options.inside;
  request.replicated_operands = options.replicated_operands;
  request.sides = options.sides;
  request.copied_blocks = options.copied_blocks;
  request.blocking_gets = options.blocking_gets;
  request.blocks_by_arrival = options.blocks_by_arrival;
  request.one_direction = options.one_direction;
  request.binary_tree = options.binary_tree;
  request.on_devices = options.on_devices;
  return request;
}

PlanRequest plan_request(const ProductLayouts& product, std::size_t element_bytes, int ranks,
                         const MultiplyOptions& options) {
  check_shapes(product);
  PlanRequest request = plan_request(product.size(), element_bytes, ranks, options);
  request.stored = product;
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
  const auto of_algorithms = [&](const auto& is_wanted) {
    std::vector<MultiplicationAlgorithm> algorithms;
    for (const MultiplicationEntry& entry : multiplication_table()) {
      if (is_wanted(entry) && entry.accepts_all(options)) algorithms.push_back(entry.algorithm);
    }
    return plan_candidates(request, rates, algorithms);
  };
  if (options.on_devices) {
    auto candidates = of_algorithms([](const auto& entry) { return entry.on_devices; });
    if (!candidates.empty() && candidates.front().fits) return candidates;
  }
  return of_algorithms([](const auto&) { return true; });
}

}  // namespace cuboid::detail
