#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail::test {

/// What padding between columns is filled with, to catch whoever writes there.
inline constexpr int padding_value = -99;

/// Draws test cases. Every rank makes one with the same seed and so draws the same cases.
class CaseSource {
 public:
  explicit CaseSource(std::uint32_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    // Not std::uniform_int_distribution, whose results differ between standard libraries.
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(
        between(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

  Op op() { return one_of<Op>({Op::none, Op::transpose, Op::conjugate_transpose}); }

  /// Any grid that fits on `ranks`, in any order; often the widest or highest.
  GridShape grid(int ranks) {
    const auto order = one_of<GridOrder>({GridOrder::row_major, GridOrder::column_major});
    const int rows = static_cast<int>(between(1, ranks));
    const int most_columns = ranks / rows;
    const int columns =
        between(0, 2) > 0 ? most_columns : static_cast<int>(between(1, most_columns));
    if (between(0, 4) > 0) return {rows, columns, order};
    std::vector<int> listed(static_cast<std::size_t>(rows * columns));
    std::iota(listed.begin(), listed.end(), 0);
    for (std::size_t i = listed.size() - 1; i > 0; --i) {
      std::swap(listed[i],
                listed[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i)))]);
    }
    return {rows, columns, std::move(listed)};
  }

  /// Block, even or block-cyclic, any block size, any source.
  Layout layout(std::int64_t m, std::int64_t n, const GridShape& grid) {
    if (between(0, 3) == 0)
      return {even<Row>(m, grid.rows()), even<Column>(n, grid.columns()), grid};
    if (between(0, 3) == 0) return Layout::block(m, n, grid);
    const std::vector<std::int64_t> blocks{1, 2, 3, 5, 8, 13, 32, 1000};
    return Layout::block_cyclic(m, n, one_of(blocks), one_of(blocks), grid,
                                {static_cast<int>(between(0, grid.rows() - 1)),
                                 static_cast<int>(between(0, grid.columns() - 1))});
  }

 private:
  template <class Dimension>
  BlockCyclic<Dimension> even(std::int64_t extent, int processes) {
    const int parts = processes % 2 == 0 ? 2 : 1;
    const int cycles = static_cast<int>(between(1, 3));
    return one_of<bool>({false, true})
               ? BlockCyclic<Dimension>::even(extent, processes)
               : BlockCyclic<Dimension>::even(extent, parts, processes / parts, cycles);
  }

  std::mt19937 random_;
};

/// A matrix with `padding` unused elements behind each local column, marked.
template <MatrixElement T>
Matrix<T> padded_matrix(const Communicator& communicator, const Layout& layout,
                        std::int64_t padding) {
  const std::int64_t rows = std::max<std::int64_t>(layout.local_rows(communicator.rank()), 1);
  Matrix<T> matrix(communicator, layout, rows + padding);
  std::fill_n(matrix.data(),
              matrix.local_columns() * (matrix.local_rows() > 0 ? rows + padding : 0),
              T(padding_value));
  return matrix;
}

template <MatrixElement T>
bool padding_untouched(const Matrix<T>& matrix) {
  if (matrix.local_rows() == 0) return true;
  for (std::int64_t j = 0; j < matrix.local_columns(); ++j) {
    const T* const column = matrix.data() + j * matrix.leading_dimension();
    if (!std::all_of(column + matrix.local_rows(), column + matrix.leading_dimension(),
                     [](T value) { return value == T(padding_value); })) {
      return false;
    }
  }
  return true;
}

/// Calls visit(i, j, element) for the elements that this rank holds.
template <MatrixElement T, class Visit>
void for_each_element(const Matrix<T>& matrix, const Visit& visit) {
  const auto here = matrix.position();
  if (!here) return;
  const Layout& layout = matrix.layout();
  for (Local<Column> j; j.value < matrix.local_columns(); ++j) {
    for (Local<Row> i; i.value < matrix.local_rows(); ++i) {
      visit(layout.rows().global(here->row, i), layout.columns().global(here->column, j),
            matrix(i, j));
    }
  }
}

}  // namespace cuboid::detail::test
