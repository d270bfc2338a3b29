#pragma once

#include <cuboid/layout.hpp>
#include <cuboid/matrix.hpp>

#include "base/copy_bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// Prefetches the cache lines of a run. The processor prefetches by itself only if memory is walked
/// in one long run.
template <class T>
void prefetch_run(const T* run, std::int64_t count) {
  constexpr std::int64_t line = std::int64_t{64} / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < count; i += line) __builtin_prefetch(run + i);
}
template <class T>
void prefetch_block(LocalView<T> block) {
  for (std::int64_t j = 0; j < block.columns; ++j) prefetch_run(block.column(j), block.rows);
}

/// to[i] = alpha · from[i] + beta · to[i]. beta = 0 does not read `to`.
template <MatrixElement T>
void add_run(T alpha, const T* from, T beta, T* to, std::int64_t count) {
  if (beta != T(0)) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = alpha * from[i] + beta * to[i];
  } else if (alpha != T(1)) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = alpha * from[i];
  } else if (count < 16) {
    // Shorter than the time of a function call.
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
  } else {
    copy_bytes(to, from, static_cast<std::size_t>(count) * sizeof(T));
  }
}

/// Calls into(to(i, j), from(j, i)) for every element of a rectangle.
template <MatrixElement T, class Into>
void transpose_elements(LocalView<const T> from, LocalView<T> to, const Into& into) {
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) into(to(i, j), from(j, i));
  }
}

/// transpose_elements() in squares that fit into registers: both sides are read and written in
/// runs. The squares of one cache line of the source follow each other. So the line is loaded only
/// once, even if the source's columns lie so far apart that the cache holds only few of them.
template <MatrixElement T, class Into>
void transpose_squares(LocalView<const T> from, LocalView<T> to, const Into& into) {
  constexpr std::int64_t side = 4;
  constexpr std::int64_t line =
      std::max(std::int64_t{64} / static_cast<std::int64_t>(sizeof(T)), side);
  const std::int64_t rows = to.rows / side * side, columns = to.columns / side * side;
  for (std::int64_t first = 0; first < columns; first += line) {
    const std::int64_t last = std::min(first + line, columns);
    for (std::int64_t i = 0; i < rows; i += side) {
      for (std::int64_t j = first; j < last; j += side) {
        T square[side][side];
        for (std::int64_t c = 0; c < side; ++c) {
          for (std::int64_t r = 0; r < side; ++r) square[r][c] = from(j + r, i + c);
        }
        for (std::int64_t r = 0; r < side; ++r) {
          for (std::int64_t c = 0; c < side; ++c) into(to(i + c, j + r), square[r][c]);
        }
      }
    }
  }
  transpose_elements(from.block(0, rows, columns, from.columns - rows),
                     to.block(rows, 0, to.rows - rows, columns), into);
  transpose_elements(from.block(columns, 0, from.rows - columns, from.columns),
                     to.block(0, columns, to.rows, to.columns - columns), into);
}

/// transpose_squares() in tiles, so that every cache line of both sides is used completely before
/// it leaves the cache.
template <MatrixElement T, class Into>
void transpose_tiles(LocalView<const T> from, LocalView<T> to, const Into& into) {
  constexpr std::int64_t tile = std::int64_t{256} / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t j = 0; j < to.columns; j += tile) {
    const std::int64_t width = std::min(tile, to.columns - j);
    for (std::int64_t i = 0; i < to.rows; i += tile) {
      const std::int64_t height = std::min(tile, to.rows - i);
      const LocalView<const T> tile_from = from.block(j, i, width, height);
      const LocalView<T> tile_to = to.block(i, j, height, width);
      prefetch_block(tile_from);
      prefetch_block(tile_to);
      transpose_squares(tile_from, tile_to, into);
    }
  }
}

/// to = alpha · op(from) + beta · to, for views that do not overlap. `to` has the shape of
/// op(from). beta = 0 does not read `to`.
template <MatrixElement T>
void add(T alpha, Op op, LocalView<const T> from, T beta, LocalView<T> to) {
  if (op == Op::none) {
    for (std::int64_t j = 0; j < to.columns; ++j)
      add_run(alpha, from.column(j), beta, to.column(j), to.rows);
    return;
  }
  const auto transpose = [&](const auto& value) {
    if (beta != T(0)) {
      transpose_tiles(from, to, [&](T& into, T one) { into = alpha * value(one) + beta * into; });
    } else if (alpha != T(1)) {
      transpose_tiles(from, to, [&](T& into, T one) { into = alpha * value(one); });
    } else {
      transpose_tiles(from, to, [&](T& into, T one) { into = value(one); });
    }
  };
  if (op == Op::transpose) {
    transpose([](T value) { return value; });
  } else {
    transpose([](T value) { return conjugate(value); });
  }
}

/// to = op(from), for views that do not overlap.
template <MatrixElement T>
void copy(Op op, LocalView<const T> from, LocalView<T> to) {
  add(T(1), op, from, T(0), to);
}
template <MatrixElement T>
void copy(LocalView<const T> from, LocalView<T> to) {
  copy(Op::none, from, to);
}

/// to = from in another precision, for views of the same shape. Values are rounded if `to` has the
/// lower precision.
template <MatrixElement From, MatrixElement To>
void convert(LocalView<const From> from, LocalView<To> to) {
  for (std::int64_t j = 0; j < from.columns; ++j) {
    for (std::int64_t i = 0; i < from.rows; ++i) to(i, j) = static_cast<To>(from(i, j));
  }
}

/// view = factor · view, as BLAS scales: a factor of 0 writes zeros without reading, a factor of 1
/// changes nothing.
template <MatrixElement T>
void scale(T factor, LocalView<T> view) {
  if (factor == T(1) || view.rows == 0) return;
  for (std::int64_t j = 0; j < view.columns; ++j) {
    T* const column = view.column(j);
    if (factor == T(0)) {
      std::fill_n(column, view.rows, T(0));
    } else {
      for (std::int64_t i = 0; i < view.rows; ++i) column[i] *= factor;
    }
  }
}

}  // namespace cuboid::detail
