#pragma once

#include <cuboid/matrix.hpp>
#include <cuboid/op.hpp>

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// to = from, for two views of the same shape that do not overlap.
template <MatrixElement T>
void copy(LocalView<const T> from, LocalView<T> to) {
  for (std::int64_t j = 0; j < to.columns; ++j) {
    std::copy_n(from.column(j), to.rows, to.column(j));
  }
}

/// to(i, j) = map(from(j, i)) in tiles, so that a cache line of either side is used whole before it
/// is dropped.
template <MatrixElement T, class Map>
void transpose_tiles(LocalView<const T> from, LocalView<T> to, const Map& map) {
  constexpr std::int64_t tile = std::int64_t{256} / static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t j0 = 0; j0 < to.columns; j0 += tile) {
    const std::int64_t j1 = std::min(j0 + tile, to.columns);
    for (std::int64_t i0 = 0; i0 < to.rows; i0 += tile) {
      const std::int64_t i1 = std::min(i0 + tile, to.rows);
      for (std::int64_t j = j0; j < j1; ++j) {
        T* const column = to.column(j);
        for (std::int64_t i = i0; i < i1; ++i) column[i] = map(from(j, i));
      }
    }
  }
}

/// to = op(from), for views that do not overlap: `to` has the shape of op(from).
template <MatrixElement T>
void copy(Op op, LocalView<const T> from, LocalView<T> to) {
  switch (op) {
    case Op::none: return copy(from, to);
    case Op::transpose: return transpose_tiles(from, to, [](T value) { return value; });
    case Op::conjugate_transpose:
      return transpose_tiles(from, to, [](T value) { return conjugate(value); });
  }
}

/// to = alpha · op(from) + beta · to, for views that do not overlap. beta = 0 does not read `to`.
template <MatrixElement T>
void add(T alpha, Op op, LocalView<const T> from, T beta, LocalView<T> to) {
  if (alpha == T(1) && beta == T(0)) return copy(op, from, to);
  const auto into = [&](std::int64_t i, std::int64_t j, T value) {
    T& element = to(i, j);
    element = beta == T(0) ? alpha * value : alpha * value + beta * element;
  };
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) {
      if (op == Op::none) {
        into(i, j, from(i, j));
      } else {
        into(i, j, op == Op::transpose ? from(j, i) : conjugate(from(j, i)));
      }
    }
  }
}

/// view = factor · view as BLAS scales: a factor of 0 writes zeros without reading, 1 leaves it
/// alone.
template <MatrixElement T>
void scale(T factor, LocalView<T> view) {
  if (factor == T(1)) return;
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
