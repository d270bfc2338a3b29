#pragma once

#include <cuboid/grid.hpp>

#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace cuboid::detail {

/// Maps grids onto one machine. The cost of a fold is computed once for all grids that use the
/// fold.
class Mapper {
 public:
  /// Throws Error(invalid_argument) if the placement is not full.
  explicit Mapper(Placement placement);

  const std::shared_ptr<const Placement>& placement() const { return placement_; }

  /// Does the same as best_mapping().
  Mapping best(std::span<const int> extents, Pattern pattern, std::span<const double> weights);

 private:
  using FoldCost = std::pair<Fold, AxisLoad>;
  const FoldCost& cost_of_fold(const std::vector<Fold>& assignment, std::size_t axis,
                               Pattern pattern);

  std::shared_ptr<const Placement> placement_;
  std::map<std::vector<std::tuple<int, int, int>>, FoldCost> known_;
};

}  // namespace cuboid::detail
