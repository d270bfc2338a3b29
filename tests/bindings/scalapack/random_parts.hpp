#pragma once

// Random submatrices on random grids, and calls on both sides of them: as the program makes them,
// and to the native ScaLAPACK.

#include "scalapack_calls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

inline int differences = 0;
inline int world_rank = 0;
inline int last_error = 0;

inline void differ(const std::string& what) {
  ++differences;
  if (differences < 20)
    std::fprintf(stderr, "rank %d: differs from the native ScaLAPACK: %s\n", world_rank,
                 what.c_str());
}

/// The same numbers on all ranks.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int operator()(int least, int most) {
    return least + static_cast<int>(engine_() % static_cast<unsigned>(most - least + 1));
  }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[(*this)(0, static_cast<int>(choices.size()) - 1)];
  }

 private:
  std::mt19937 engine_;
};

/// The most rows and columns of a random matrix.
inline int longest = 40;

inline int extent(Random& random, int least) {
  return random(least, longest);
}

inline std::vector<int> numbers(int from, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), from);
  return all;
}

struct Grid {
  int context = -1;
  int rows = 0, columns = 0, row = -1, column = -1;

  /// Of these ranks, by the grid's columns; a rank that is not among them gets none.
  Grid(int grid_rows, int grid_columns, const std::vector<int>& ranks) {
    Cblacs_get(-1, 0, &context);
    Cblacs_gridmap(&context, ranks.data(), grid_rows, grid_rows, grid_columns);
    if (context >= 0) Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    rows = grid_rows;
    columns = grid_columns;
  }
  /// Of a context that is there; this object ends it.
  explicit Grid(int its_context) : context(its_context) {
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  }
  ~Grid() {
    if (has_me()) Cblacs_gridexit(context);
  }
  /// Leaves the context to whoever else ends it.
  void forget() { row = -1; }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  bool has_me() const { return row >= 0; }
};

template <class T>
T random_value(std::mt19937& engine) {
  // Never zero, of which products have either sign.
  const auto part = [&] { return (static_cast<float>(engine() % 2000) + 0.5F) / 1000.0F - 1.0F; };
  if constexpr (std::is_floating_point_v<T>) {
    return part();
  } else {
    return T(part(), part());
  }
}

/// A distributed matrix with a submatrix of so many rows and columns somewhere in it.
template <class T>
struct Part {
  int i = 1, j = 1;
  std::array<int, 9> descriptor{};
  std::vector<T> elements;

  /// @param in_blocks  in square blocks, from the beginning of one on.
  Part(Random& random, const Grid& grid, int rows, int columns, unsigned seed,
       bool in_blocks = false) {
    const int longest_block = longest * 9 / 40;
    const int row_block = random(1, longest_block);
    const int column_block = random(0, 1) == 0 || in_blocks ? row_block : random(1, longest_block);
    const bool whole_blocks = random(0, 2) == 0 || in_blocks;
    const auto begin = [&](int block) {
      return 1 + (whole_blocks ? block * random(0, 2) : random(0, 13));
    };
    i = begin(row_block);
    j = begin(column_block);
    const int all_rows = i - 1 + rows + random(0, 5), all_columns = j - 1 + columns + random(0, 5);
    const int row_source = random(0, grid.rows - 1), column_source = random(0, grid.columns - 1);
    const int gap = random(0, 3);
    descriptor[1] = -1;
    if (!grid.has_me()) return;
    const int local_rows = numroc_(&all_rows, &row_block, &grid.row, &row_source, &grid.rows);
    const int local_columns =
        numroc_(&all_columns, &column_block, &grid.column, &column_source, &grid.columns);
    // A rank without columns may say less than its rows.
    const int leading = local_columns == 0 ? 1 : std::max(1, local_rows) + gap;
    descriptor = {1,          grid.context,  all_rows, all_columns, row_block, column_block,
                  row_source, column_source, leading};
    elements.resize(static_cast<std::size_t>(leading) * static_cast<std::size_t>(local_columns) +
                    1);
    std::mt19937 engine(seed * 977 + static_cast<unsigned>(world_rank));
    for (T& element : elements) element = random_value<T>(engine);
  }
  /// Where a row or column of the submatrix, from 0, is on this rank; -1 on others.
  int local_row(const Grid& grid, int row) const {
    return local(i - 1 + row, descriptor[4], descriptor[6], grid.rows, grid.row);
  }
  int local_column(const Grid& grid, int column) const {
    return local(j - 1 + column, descriptor[5], descriptor[7], grid.columns, grid.column);
  }
  /// An element of the submatrix; nullptr on other ranks.
  T* at(const Grid& grid, int row, int column) {
    const int here_row = local_row(grid, row), here_column = local_column(grid, column);
    if (here_row < 0 || here_column < 0) return nullptr;
    return &elements[static_cast<std::size_t>(here_row) +
                     static_cast<std::size_t>(here_column) *
                         static_cast<std::size_t>(descriptor[8])];
  }
  /// NaN in one triangle, without the diagonal.
  void spoil_triangle(const Grid& grid, int order, char uplo) {
    for (int row = 0; row < order; ++row) {
      for (int column = 0; column < order; ++column) {
        if (uplo == 'U' ? row >= column : row <= column) continue;
        if (T* const element = at(grid, row, column))
          *element = T(std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
  static int local(int index, int block, int source, int processes, int process) {
    const bool here = (index / block + source) % processes == process;
    return here ? index / (block * processes) * block + index % block : -1;
  }
  /// p?gemr2d wants a leading dimension of all rows from a rank without columns, too.
  void state_all_rows(const Grid& grid) {
    if (!grid.has_me()) return;
    const int rows = numroc_(&descriptor[2], &descriptor[4], &grid.row, &descriptor[6], &grid.rows);
    descriptor[8] = std::max(descriptor[8], rows);
  }
  void fill(double value) {
    std::fill(elements.begin(), elements.end(), T(static_cast<float>(value)));
  }
};

/// A square matrix with a heavy diagonal, so that solving with either triangle is harmless.
/// @param in_blocks  as the factorisations want it.
template <class T>
Part<T> heavy_diagonal(Random& random, const Grid& grid, int order, unsigned seed, bool in_blocks) {
  Part<T> A(random, grid, order, order, seed, in_blocks);
  for (int j = 0; j < order; ++j) {
    if (T* const element = A.at(grid, j, j)) *element = T(static_cast<float>(order + 2));
  }
  return A;
}

inline bool is_nan(auto value) {
  return !(value == value);
}

/// Elements that the native routine leaves alone must be left alone, to the bit; others be close.
template <class T>
void compare(const std::string& what, const std::vector<T>& before, const std::vector<T>& expected,
             const std::vector<T>& got, double scale) {
  const double tolerance =
      scale * static_cast<double>(std::numeric_limits<decltype(std::abs(T()))>::epsilon());
  for (std::size_t at = 0; at < before.size(); ++at) {
    const auto same_bits = [&](const T& a, const T& b) {
      return std::memcmp(&a, &b, sizeof(T)) == 0;
    };
    const bool left_alone = same_bits(before[at], expected[at]);
    const bool good = left_alone             ? same_bits(got[at], expected[at])
                      : is_nan(expected[at]) ? is_nan(got[at])
                                             : got[at] == expected[at] ||
                                                   std::abs(got[at] - expected[at]) <= tolerance;
    if (good) continue;
    differ(what + (left_alone ? ": an element outside" : ": an element inside"));
    return;
  }
}

/// The same call on both sides, on copies of the same C.
template <class T>
void on_both_sides(const std::string& what, const Part<T>& C, double scale,
                   const std::function<void(Side, T*)>& call) {
  std::vector<T> expected = C.elements, got = C.elements;
  last_error = 0;
  call(Side::native, expected.data());
  const int error_native = std::exchange(last_error, 0);
  call(Side::program, got.data());
  if (last_error != error_native)
    differ(what + ": error " + std::to_string(last_error) + ", not " +
           std::to_string(error_native));
  compare(what, C.elements, expected, got, scale);
}

template <class T>
std::string described(const char* name, const Grid& grid, int m, int n, int k) {
  return std::string("p") + Routines<T>::letter + name + " " + std::to_string(m) + "x" +
         std::to_string(n) + "x" + std::to_string(k) + " on " + std::to_string(grid.rows) + "x" +
         std::to_string(grid.columns);
}
