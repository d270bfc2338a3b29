#include "topology/mapping/mapper.hpp"

#include <cuboid/error.hpp>

#include "topology/mapping/axis_assignments.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cuboid::detail {

namespace {

/// The cost of one grid axis, for comparisons: the cost for the given pattern comes first.
using AxisCost = std::tuple<double, double, int>;

AxisCost cost_of(const AxisLoad& load, Pattern pattern) {
  const auto [first, second] = pattern == Pattern::broadcast
                                   ? std::pair(load.broadcast.worst_link, load.shift.worst_link)
                                   : std::pair(load.shift.worst_link, load.broadcast.worst_link);
  return {first, second, load.shift.dilation};
}

/// The best order and directions of one fold's digits for shifts, and the cost of the axis with
/// them. The cost depends on other folds only in that they have the other digits.
std::pair<Fold, AxisLoad> best_fold(const Placement& placement, const std::vector<Fold>& folds,
                                    std::size_t axis, Pattern pattern) {
  std::vector<Fold> trial = folds;
  std::optional<std::pair<Fold, AxisLoad>> best;
  // Cores stay the fastest digit: a shift between cores of a node costs nothing.
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

}  // namespace

Mapper::Mapper(Placement placement)
    : placement_(std::make_shared<const Placement>(std::move(placement))) {
  if (placement_->full()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} ranks do not fill {} nodes with {} slots each; lay the grid on "
                          "Placement::flat()",
                          placement_->ranks(), placement_->shape().nodes(), placement_->slots()));
}

const Mapper::FoldCost& Mapper::cost_of_fold(const std::vector<Fold>& assignment, std::size_t axis,
                                             Pattern pattern) {
  std::vector<std::tuple<int, int, int>> key{{static_cast<int>(pattern), 0, 0}};
  for (const Digit& digit : assignment[axis].digits)
    key.emplace_back(digit.axis, digit.extent, digit.stride);
  auto found = known_.find(key);
  if (found == known_.end())
    found = known_.emplace(std::move(key), best_fold(*placement_, assignment, axis, pattern)).first;
  return found->second;
}

Mapping Mapper::best(std::span<const int> extents, Pattern pattern,
                     std::span<const double> weights) {
  std::int64_t product = 1;
  for (const int extent : extents) {
    if (extent < 1 || product > placement_->ranks()) product = 0;
    product *= extent;
  }
  if (product != placement_->ranks()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a grid of {} does not hold {} ranks", fmt::join(extents, "x"),
                            placement_->ranks()));
  }
  if (!weights.empty() && weights.size() != extents.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} weights for {} axes of a grid", weights.size(), extents.size()));
  }
  const std::vector<double> counts = weights.empty()
                                         ? std::vector<double>(extents.begin(), extents.end())
                                         : std::vector<double>(weights.begin(), weights.end());
  std::vector<const FoldCost*> best;
  std::tuple<double, double, int> least;
  for (const std::vector<Fold>& assignment :
       axis_assignments(placement_->shape(), placement_->slots(), extents)) {
    std::vector<const FoldCost*> folds;
    std::tuple<double, double, int> cost{0, 0, 0};
    for (std::size_t axis = 0; axis < assignment.size(); ++axis) {
      folds.push_back(&cost_of_fold(assignment, axis, pattern));
      const auto [first, second, dilation] = cost_of(folds.back()->second, pattern);
      std::get<0>(cost) += counts[axis] * first;
      std::get<1>(cost) += counts[axis] * second;
      std::get<2>(cost) = std::max(std::get<2>(cost), dilation);
    }
    if (best.empty() || cost < least) {
      least = cost;
      best = std::move(folds);
    }
  }
  std::vector<Fold> folds;
  std::vector<AxisLoad> loads;
  for (const FoldCost* one : best) {
    folds.push_back(one->first);
    loads.push_back(one->second);
  }
  return {Grid(placement_->shape(), placement_->slots(), std::move(folds)), std::move(loads),
          std::get<0>(least)};
}

}  // namespace cuboid::detail
