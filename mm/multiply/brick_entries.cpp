#include <cuboid/error.hpp>

#include "mm/decompositions/carma_decomposition.hpp"
#include "mm/decompositions/cosma_decomposition.hpp"
#include "mm/drivers/bricks/brick_multiplication.hpp"
#include "mm/multiply/multiplication_entries.hpp"
#include "mm/plan/candidate_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace cuboid::detail {

namespace {

ProductLayouts in_shares(const ProductSize&, Op op_a, Op op_b, const PlanCandidate& plan) {
  const BrickGrid& bricks = *plan.bricks;
  return {applied(op_a, bricks.a_layout()), op_a, applied(op_b, bricks.b_layout()), op_b,
          bricks.c_layout()};
}

template <MatrixElement T>
std::unique_ptr<Multiplication<T>> make_in_bricks(const Communicator& communicator,
                                                  const ProductLayouts& product,
                                                  const PlanCandidate& plan) {
  return std::make_unique<BrickMultiplication<T>>(
      communicator, *plan.bricks, BrickSteps{plan.rounds, plan.row_tiles, plan.column_tiles},
      product, plan.sides);
}

void add_carmas_grid(MultiplicationAlgorithm algorithm, Planning& planning) {
  const PlanRequest& request = planning.request();
  planning.add(in_bricks(algorithm, decompose_for_carma(request.size, request.ranks),
                         BrickSteps{request.rounds.value_or(1)}, request, planning.rates()));
}

void add_carma(Planning& planning) {
  add_carmas_grid(MultiplicationAlgorithm::carma, planning);
}

/// The same bricks with the axes of their splits in every order, the given order first. The order
/// decides which ranks share a face and, on a torus, over which lines and planes they reach each
/// other. If an axis of the torus must be cut, no mapping of its digits is better than the best of
/// these orders.
std::vector<BrickGrid> laid_out(const PlanRequest& request, const BrickGrid& bricks) {
  std::vector<BrickGrid> grids = {bricks};
  if (!request.placement) return grids;
  std::vector<WorkAxis> axes;
  for (const Split& split : bricks.splits()) {
    if (std::ranges::find(axes, split.along) == axes.end()) axes.push_back(split.along);
  }
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::ranges::next_permutation(order).found) {
    std::vector<Split> splits;
    for (const std::size_t axis : order) {
      std::ranges::copy_if(bricks.splits(), std::back_inserter(splits),
                           [&](const Split& split) { return split.along == axes[axis]; });
    }
    grids.emplace_back(bricks.size(), std::move(splits));
  }
  return grids;
}

/// Adds the candidate with the best number of rounds, or, if memory is short, with a number that
/// fits. If no number fits, the candidate states the memory that it would need.
void add_cosma_within(CosmaLimits limits, Planning& planning) {
  const PlanRequest& request = planning.request();
  const auto decomposed = [&] {
    try {
      return decompose_for_cosma(request.size, request.ranks, limits);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      limits.memory =
          static_cast<std::int64_t>(least_memory_for_cosma(request.size, request.ranks, limits));
      return decompose_for_cosma(request.size, request.ranks, limits);
    }
  }();
  const auto with_cost = [&](const BrickGrid& grid, const BrickSteps& steps) {
    return in_bricks(MultiplicationAlgorithm::cosma,
                     request.binary_tree ? in_prime_splits(grid) : grid, steps, request,
                     planning.rates());
  };
  const PlanCandidate candidate = with_cost(decomposed.grid, decomposed.steps);
  for (const BrickGrid& grid : laid_out(request, decomposed.grid))
    planning.add(with_cost(grid, decomposed.steps));
  // Redistributed copies need memory, too.
  const double others = candidate.memory - brick_memory(decomposed.grid, decomposed.steps);
  if (!candidate.fits && limits.memory && others > 0 && limits.memory == request.memory) {
    limits.memory = *limits.memory - static_cast<std::int64_t>(std::ceil(others));
    if (*limits.memory > 0) add_cosma_within(limits, planning);
    return;
  }
  // If nothing overlaps, rounds only cost messages and make panels narrow.
  if (!planning.rates().one_node || limits.rounds || decomposed.steps.count() == 1) return;
  planning.add(with_cost(decomposed.grid, BrickSteps{}));
}

/// Adds grids of few words. The machine's rates decide how many idle ranks are worthwhile
/// (Kwasniewski et al. 2019, §7.1). So the cost decides between two grids: one whose idle ranks
/// save more words than work, and one with the fewest words and as many idle ranks as other
/// algorithms may leave. Some rank counts have no good grid, above all primes: if there are few
/// ranks, a larger share of them may idle. If there are many ranks on a machine, a grid of all
/// ranks is added, whose faces may be shared along lines and planes. If messages cost more than
/// words, CARMA's recursive grid may be faster, which gathers faces in few steps.
void add_cosma(Planning& planning) {
  constexpr int few_ranks = 64;
  const PlanRequest& request = planning.request();
  const bool few = request.ranks <= few_ranks;
  const double most_idle = request.idle_fraction.value_or(few ? 0.25 : 0.1);
  CosmaLimits limits{.memory = request.memory, .grid = request.bricks, .rounds = request.rounds};
  const auto add = [&](double idle_share, CosmaAim aim) {
    limits.idle_share = idle_share;
    limits.aim = aim;
    add_cosma_within(limits, planning);
  };
  add(std::min(default_idle_share, most_idle), CosmaAim::balance);
  if (request.bricks) return;
  if (few || request.idle_fraction) add(most_idle, CosmaAim::balance);
  add(most_idle, CosmaAim::fewest_words);
  add_carmas_grid(MultiplicationAlgorithm::cosma, planning);
  const Mapper* machine = planning.machine();
  if (few || !machine || machine->placement()->ranks() != request.ranks) return;
  add(0, CosmaAim::balance);
}

}  // namespace

MultiplicationEntry carma_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::carma,
      .name = "carma",
      .accepts = {AlgorithmOption::rounds, AlgorithmOption::one_sided},
      .add_candidates = add_carma,
      .layouts = in_shares,
      .shares = shares_nothing,
      .on_devices = true,
      .makers =
          makers([]<MatrixElement T>(const auto&... plan) { return make_in_bricks<T>(plan...); }),
  };
}

MultiplicationEntry cosma_entry() {
  return {
      .algorithm = MultiplicationAlgorithm::cosma,
      .name = "cosma",
      .accepts = {AlgorithmOption::bricks, AlgorithmOption::idle_fraction, AlgorithmOption::rounds,
                  AlgorithmOption::one_sided, AlgorithmOption::binary_tree},
      .add_candidates = add_cosma,
      .layouts = in_shares,
      .shares = shares_nothing,
      .on_devices = true,
      .makers =
          makers([]<MatrixElement T>(const auto&... plan) { return make_in_bricks<T>(plan...); }),
  };
}

}  // namespace cuboid::detail
