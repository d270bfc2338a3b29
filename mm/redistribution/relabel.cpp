#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/ranks.hpp"
#include "mm/redistribution/assignment.hpp"
#include "mm/redistribution/ownership.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

/// The ranks of a layout of either kind, and for each of them the rank that takes its part.
class Relabelling {
 public:
  Relabelling(const Ownership& source, const Ownership& destination)
      : ranks_(ranks_of(destination)) {
    const KeptElements kept = kept_elements(source, destination);
    assigned_.resize(ranks_.size());
    std::iota(assigned_.begin(), assigned_.end(), std::size_t{0});
    auto better = assignment(kept);
    if (all_kept(kept, better) <= all_kept(kept, assigned_)) return;
    assigned_ = std::move(better);
    changes_ = true;
  }

  bool changes() const { return changes_; }
  /// The rank that takes the part of `rank`.
  int instead_of(int rank) const { return ranks_[assigned_[number_of(rank)]]; }

 private:
  template <class Visit>
  static void for_each_class(const Ownership& matrix, const Visit& visit) {
    for (int row = 0; row < classes_of(matrix.rows()); ++row) {
      for (int column = 0; column < classes_of(matrix.columns()); ++column) visit(row, column);
    }
  }

  /// The ranks of a matrix, in ascending order.
  static std::vector<int> ranks_of(const Ownership& matrix) {
    std::vector<int> ranks;
    for_each_class(matrix, [&](int row, int column) {
      matrix.for_each_owner(row, column, [&](int rank) { ranks.push_back(rank); });
    });
    std::ranges::sort(ranks);
    const auto twice = std::ranges::unique(ranks);
    ranks.erase(twice.begin(), twice.end());
    return ranks;
  }

  std::size_t number_of(int rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }

  KeptElements kept_elements(const Ownership& source, const Ownership& destination) const {
    const auto all_runs = [](const AxisDistribution& from, const AxisDistribution& to) {
      return AxisRuns(from, to, ClassSet(as_size(classes_of(from)), true),
                      ClassSet(as_size(classes_of(to))));
    };
    const AxisRuns rows = all_runs(source.rows(), destination.rows());
    const AxisRuns columns = all_runs(source.columns(), destination.columns());
    KeptElements kept(ranks_.size());
    for_each_class(destination, [&](int row, int column) {
      for (const int from_row : rows.sources(row)) {
        for (const int from_column : columns.sources(column)) {
          const std::int64_t shared =
              rows.shared(from_row, row).extent() * columns.shared(from_column, column).extent();
          source.for_each_owner(from_row, from_column, [&](int keeper) {
            if (!std::ranges::binary_search(ranks_, keeper)) return;
            destination.for_each_owner(
                row, column, [&](int part) { kept[number_of(part)][number_of(keeper)] += shared; });
          });
        }
      }
    });
    return kept;
  }

  std::vector<int> ranks_;
  std::vector<std::size_t> assigned_;  // by index of a rank in ranks_
  bool changes_ = false;
};

Relabelling relabelling_of(const AnyLayout& source, Op op, const AnyLayout& destination) {
  const Ownership from(source, op), to(destination, Op::none);
  if (extent_of(from.rows()) != extent_of(to.rows()) ||
      extent_of(from.columns()) != extent_of(to.columns())) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("relabelled: {}x{} op(source), {}x{} destination: give layouts of the "
                            "same shape",
                            extent_of(from.rows()), extent_of(from.columns()), extent_of(to.rows()),
                            extent_of(to.columns())));
  }
  return {from, to};
}

}  // namespace

Layout relabelled(const AnyLayout& source, Op op, const Layout& destination) {
  const Relabelling relabelling = relabelling_of(source, op, destination);
  if (!relabelling.changes()) return destination;
  const GridShape& grid = destination.grid();
  std::vector<int> ranks;
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column)
      ranks.push_back(relabelling.instead_of(grid.rank({row, column})));
  }
  return {destination.rows(), destination.columns(),
          GridShape(grid.rows(), grid.columns(), std::move(ranks))};
}

IrregularLayout relabelled(const AnyLayout& source, Op op, const IrregularLayout& destination) {
  const Relabelling relabelling = relabelling_of(source, op, destination);
  if (!relabelling.changes()) return destination;
  const auto cuts = [](std::span<const std::int64_t> some) {
    return std::vector<std::int64_t>(some.begin(), some.end());
  };
  const std::function<std::vector<int>(IrregularLayout::Place)> owners =
      [&](IrregularLayout::Place place) {
        std::vector<int> ranks;
        for (const int rank : destination.owners(place))
          ranks.push_back(relabelling.instead_of(rank));
        return ranks;
      };
  return {cuts(destination.row_cuts()), cuts(destination.column_cuts()), owners};
}

}  // namespace cuboid
