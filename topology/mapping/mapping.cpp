#include <cuboid/error.hpp>
#include <cuboid/grid.hpp>

#include "topology/mapping/axis_assignments.hpp"
#include "topology/mapping/mapper.hpp"

#include <algorithm>
#include <limits>
#include <optional>
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

/// Divisors of a number, ascending.
std::vector<int> divisors(int number) {
  std::vector<int> found;
  for (int divisor = 1; divisor <= number; ++divisor) {
    if (number % divisor == 0) found.push_back(divisor);
  }
  return found;
}

/// All grids of rows x columns (x layers, if there are any) that cut the fewest axes and have no
/// more rows than columns. The squarest grid comes first.
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

/// A lower bound on a grid's cost: a grid axis with more ranks than a node has slots leaves the
/// node, so its busiest link carries at least one message.
double least_cost(const Placement& placement, std::span<const int> extents,
                  std::span<const double> weights) {
  double cost = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > placement.slots()) cost += weights[axis];
  }
  return cost;
}

/// The best mapping onto any grid of rows x columns (x layers, if there are any).
Mapping best_of_extents(const Placement& placement, int ranks_per_layer,
                        std::optional<int> layers) {
  Mapper mapper(placement);
  std::optional<Mapping> best;
  for (const std::vector<int>& extents : whole_axis_extents(placement, ranks_per_layer, layers)) {
    std::vector<double> weights(extents.begin(), extents.end());
    if (layers) weights.back() *= 3;
    if (best && least_cost(placement, extents, weights) >= best->cost) continue;
    Mapping mapping = mapper.best(extents, Pattern::broadcast, weights);
    if (!best || mapping.cost < best->cost) best.emplace(std::move(mapping));
  }
  return std::move(*best);
}

}  // namespace

Mapping best_mapping(const Placement& placement, std::span<const int> extents, Pattern pattern,
                     std::span<const double> weights) {
  return Mapper(placement).best(extents, pattern, weights);
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
