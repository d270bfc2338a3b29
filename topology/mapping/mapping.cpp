#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "topology/mapping/axis_assignments.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;
namespace {

void check_full(const Placement& placement) {
  if (!placement.full()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format(
            "{} ranks do not fill {} nodes with {} slots each; lay the grid on Placement::flat()",
            placement.ranks(), placement.shape().nodes(), placement.slots()));
  }
}

/// The cost of one grid axis, to compare by: the pattern wanted first.
using AxisCost = std::tuple<double, double, int>;

AxisCost cost_of(const AxisLoad& load, Pattern pattern) {
  const auto [first, second] = pattern == Pattern::broadcast
                                   ? std::pair(load.broadcast.worst_link, load.shift.worst_link)
                                   : std::pair(load.shift.worst_link, load.broadcast.worst_link);
  return {first, second, load.shift.dilation};
}

/// The order and direction of one fold's digits that suit shifts best, and what the axis costs
/// then. That depends on no other fold but through which digits it has.
std::pair<Fold, AxisLoad> best_fold(const Placement& placement, const std::vector<Fold>& folds,
                                    std::size_t axis, Pattern pattern) {
  std::vector<Fold> trial = folds;
  std::optional<std::pair<Fold, AxisLoad>> best;
  // Cores stay fastest: a shift between cores of a node is free.
  std::vector<Digit>& digits = trial[axis].digits;
  const int core_axis = placement.shape().dimensions();
  const auto by_axis = [](const Digit& one, const Digit& other) {
    return std::pair(one.axis, one.stride) < std::pair(other.axis, other.stride);
  };
  std::ranges::sort(digits, by_axis);
  const auto cores = std::ranges::find(digits, core_axis, &Digit::axis);
  do {
    for (const bool snake : {false, true}) {
      trial[axis].snake = snake;
      const Grid grid(placement.shape(), placement.slots(), trial);
      const int number = static_cast<int>(axis);
      const AxisLoad load{shift_load(grid, number, placement.bytes_per_second()),
                          broadcast_load(grid, number, placement.bytes_per_second()),
                          grid.contiguous(number)};
      if (!best || cost_of(load, pattern) < cost_of(best->second, pattern))
        best.emplace(trial[axis], load);
    }
  } while (std::next_permutation(digits.begin(), cores, by_axis));
  return *best;
}

/// Divisors of a number, ascending.
std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0) found.push_back(divisor);
  }
  return found;
}

/// All grids of rows x columns (x layers, where there are more than none) that need the fewest axes
/// cut, the squarest first, with no more rows than columns.
std::vector<std::vector<int>> whole_axis_extents(const Placement& placement, int ranks_per_layer,
                                                 std::optional<int> layers) {
  std::vector<std::vector<int>> fewest;
  int least_cuts = std::numeric_limits<int>::max();
  for (const int rows : divisors(ranks_per_layer)) {
    if (rows > ranks_per_layer / rows) break;
    std::vector<int> extents{rows, ranks_per_layer / rows};
    if (layers) extents.push_back(*layers);
    const int cuts = fewest_cuts(placement.shape(), placement.slots(), extents);
    if (cuts < least_cuts) fewest.clear();
    least_cuts = std::min(least_cuts, cuts);
    if (cuts == least_cuts) fewest.push_back(std::move(extents));
  }
  std::ranges::reverse(fewest);
  return fewest;
}

/// What a grid costs at the least: an axis longer than a node has slots leaves the node, and then a
/// busiest link carries one message or more.
double least_cost(const Placement& placement, std::span<const int> extents,
                  std::span<const double> weights) {
  double cost = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > placement.slots()) cost += weights[axis];
  }
  return cost;
}

/// The best mapping onto any grid rows x columns (x layers, where there are more than none).
Mapping best_of_extents(const Placement& placement, int ranks_per_layer,
                        std::optional<int> layers) {
  std::optional<Mapping> best;
  for (const std::vector<int>& extents : whole_axis_extents(placement, ranks_per_layer, layers)) {
    std::vector<double> weights(extents.begin(), extents.end());
    if (layers) weights.back() *= 3;
    if (best && least_cost(placement, extents, weights) >= best->cost) continue;
    Mapping mapping = best_mapping(placement, extents, Pattern::broadcast, weights);
    if (!best || mapping.cost < best->cost) best.emplace(std::move(mapping));
  }
  return std::move(*best);
}

}  // namespace

Mapping best_mapping(const Placement& placement, std::span<const int> extents, Pattern pattern,
                     std::span<const double> weights) {
  check_full(placement);
  std::int64_t product = 1;
  for (const int extent : extents) {
    if (extent < 1 || product > placement.ranks()) product = 0;
    product *= extent;
  }
  if (product != placement.ranks()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a grid of {} does not hold {} ranks", fmt::join(extents, "x"),
                            placement.ranks()));
  }
  if (!weights.empty() && weights.size() != extents.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} weights for {} axes of a grid", weights.size(), extents.size()));
  }
  const std::vector<double> counts = weights.empty()
                                         ? std::vector<double>(extents.begin(), extents.end())
                                         : std::vector<double>(weights.begin(), weights.end());
  std::optional<Mapping> best;
  std::tuple<double, double, int> least;
  // Different assignments often have the same folds.
  std::map<std::vector<std::tuple<int, int, int>>, std::pair<Fold, AxisLoad>> known;
  for (const std::vector<Fold>& assignment :
       axis_assignments(placement.shape(), placement.slots(), extents)) {
    std::vector<Fold> folds;
    std::vector<AxisLoad> loads;
    std::tuple<double, double, int> cost{0, 0, 0};
    for (std::size_t axis = 0; axis < assignment.size(); ++axis) {
      std::vector<std::tuple<int, int, int>> key;
      for (const Digit& digit : assignment[axis].digits)
        key.emplace_back(digit.axis, digit.extent, digit.stride);
      auto found = known.find(key);
      if (found == known.end())
        found = known.emplace(key, best_fold(placement, assignment, axis, pattern)).first;
      const auto& [fold, load] = found->second;
      folds.push_back(fold);
      loads.push_back(load);
      const auto [first, second, dilation] = cost_of(load, pattern);
      std::get<0>(cost) += counts[axis] * first;
      std::get<1>(cost) += counts[axis] * second;
      std::get<2>(cost) = std::max(std::get<2>(cost), dilation);
    }
    if (!best || cost < least) {
      least = cost;
      best.emplace(Mapping{Grid(placement.shape(), placement.slots(), std::move(folds)),
                           std::move(loads), std::get<0>(cost)});
    }
  }
  return std::move(*best);
}

Mapping choose_grid_2d(const Placement& placement) {
  check_full(placement);
  return best_of_extents(placement, placement.ranks(), std::nullopt);
}

Mapping choose_grid_25d(const Placement& placement, int layers) {
  check_full(placement);
  if (layers < 1 || placement.ranks() % layers != 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} ranks cannot be {} equal layers", placement.ranks(), layers));
  }
  return best_of_extents(placement, placement.ranks() / layers, layers);
}

std::vector<int> reorder(const Placement& placement, const Grid& grid) {
  check_full(placement);
  if (grid.shape() != placement.shape() || grid.slots() != placement.slots()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a grid on {} with {} slots per node is not for ranks on {} with {}",
                            grid.shape().to_string(), grid.slots(), placement.shape().to_string(),
                            placement.slots()));
  }
  std::vector<int> new_rank;
  for (int rank = 0; rank < placement.ranks(); ++rank)
    new_rank.push_back(grid.rank_at(placement.location(rank)));
  return new_rank;
}

}  // namespace cuboid
