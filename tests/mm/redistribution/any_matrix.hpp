#pragma once

#include <cuboid/redistribute.hpp>

#include "tests/mm/random_case.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail::test {

/// Cuts of an extent, some of them in the same place.
inline std::vector<std::int64_t> any_cuts(CaseSource& draw, std::int64_t extent) {
  std::vector<std::int64_t> cuts{0, extent};
  for (std::int64_t more = draw.between(0, 6); more > 0; --more)
    cuts.push_back(draw.between(0, extent));
  std::ranges::sort(cuts);
  return cuts;
}

/// Any blocks, each stored by any rank, or by several.
inline IrregularLayout any_irregular_layout(CaseSource& draw, std::int64_t m, std::int64_t n,
                                            int ranks) {
  const bool several = draw.between(0, 2) == 0;
  auto rows = any_cuts(draw, m), columns = any_cuts(draw, n);
  return {std::move(rows), std::move(columns),
          std::function<std::vector<int>(IrregularLayout::Place)>([&](IrregularLayout::Place) {
            std::vector<int> owners{static_cast<int>(draw.between(0, ranks - 1))};
            for (int rank = 0; several && rank < ranks; ++rank) {
              if (rank != owners.front() && draw.between(0, 2) == 0) owners.push_back(rank);
            }
            return owners;
          })};
}

/// A grid of any ranks of a communicator.
inline GridShape any_grid_of(CaseSource& draw, int ranks) {
  if (draw.between(0, 1) == 0) return draw.grid(ranks);
  const int rows = static_cast<int>(draw.between(1, ranks));
  const int columns = static_cast<int>(draw.between(1, ranks / rows));
  std::vector<int> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(draw.between(0, rank)), rank);
  all.resize(static_cast<std::size_t>(rows * columns));
  return {rows, columns, std::move(all)};
}

/// A matrix of the wanted shape: all of one, part of a larger one, or one in irregular blocks.
template <MatrixElement T>
class AnyMatrix {
 public:
  AnyMatrix(const Communicator& communicator, CaseSource& draw, std::int64_t m, std::int64_t n) {
    if (draw.between(0, 2) == 0) {
      irregular_.emplace(communicator, any_irregular_layout(draw, m, n, communicator.size()));
      return;
    }
    const bool whole = draw.between(0, 2) == 0;
    const auto margin = [&] { return whole ? 0 : draw.between(0, 9); };
    const std::int64_t i = margin(), j = margin(), below = margin(), behind = margin();
    const GridShape grid = any_grid_of(draw, communicator.size());
    around_.emplace(padded_matrix<T>(communicator, draw.layout(i + m + below, j + n + behind, grid),
                                     draw.between(0, 2)));
    around_->fill([](auto, auto) { return T(padding_value); });
    block_ = {{Global<Row>(i), Global<Row>(i + m)}, {Global<Column>(j), Global<Column>(j + n)}};
    view_.emplace(*around_, block_);
  }

  AnyLayout layout() const {
    if (irregular_) return irregular_->layout();
    return view_->layout();
  }
  RedistributionSource<T> source(Op op) const {
    if (irregular_) return {op, *irregular_};
    return {op, *view_};
  }
  RedistributionDestination<T> destination() {
    if (irregular_) return *irregular_;
    return static_cast<Matrix<T>&>(*view_);
  }

  /// Sets, or visits, the elements that this rank has.
  template <class Value>
  void fill(const Value& value) {
    walk([&](std::int64_t i, std::int64_t j, T& element) { element = value(i, j); });
  }
  template <class Visit>
  void for_each(const Visit& visit) {
    walk([&](std::int64_t i, std::int64_t j, T& element) { visit(i, j, element); });
  }

  /// Whether what lies around the view is as it was, and between columns.
  bool rest_untouched() const {
    if (!around_) return true;
    bool untouched = padding_untouched(*around_);
    for_each_element(*around_, [&](Global<Row> i, Global<Column> j, T value) {
      const bool inside = i >= block_.rows.begin && i < block_.rows.end &&
                          j >= block_.columns.begin && j < block_.columns.end;
      untouched = untouched && (inside || value == T(padding_value));
    });
    return untouched;
  }

  std::string text() const {
    if (!irregular_) {
      return fmt::format("{} in {}", to_string(view_->layout()), to_string(around_->layout()));
    }
    const IrregularLayout& layout = irregular_->layout();
    return fmt::format("irregular, cut at {} and {}", fmt::join(layout.row_cuts(), " "),
                       fmt::join(layout.column_cuts(), " "));
  }

 private:
  template <class Visit>
  void walk(const Visit& visit) {
    if (view_) {
      const auto here = view_->position();
      for (std::int64_t j = 0; j < view_->local_columns(); ++j) {
        for (std::int64_t i = 0; i < view_->local_rows(); ++i) {
          visit(view_->layout().rows().global(here->row, Local<Row>(i)).value,
                view_->layout().columns().global(here->column, Local<Column>(j)).value,
                view_->local()(i, j));
        }
      }
      return;
    }
    for (std::size_t number = 0; number < irregular_->places().size(); ++number) {
      const BlockRange range = irregular_->layout().block(irregular_->places()[number]);
      const LocalView<T>& block = irregular_->blocks()[number];
      for (std::int64_t j = 0; j < block.columns; ++j) {
        for (std::int64_t i = 0; i < block.rows; ++i)
          visit(range.rows.begin.value + i, range.columns.begin.value + j, block(i, j));
      }
    }
  }

  std::optional<IrregularMatrix<T>> irregular_;
  std::optional<Matrix<T>> around_;
  BlockRange block_{};
  std::optional<MatrixView<T>> view_;
};

}  // namespace cuboid::detail::test
