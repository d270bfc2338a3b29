#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/local_copy.hpp"
#include "mm/redistribution/exchange_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// Calls visit(run, first index of it, number of indices, where they are in [begin, end)) for the
/// runs that lie in a range of shared indices.
template <class Visit>
void for_each_run(const SharedIndices& shared, std::int64_t begin, std::int64_t end,
                  const Visit& visit) {
  auto run = std::ranges::upper_bound(shared.runs, begin, {}, &AxisRun::offset) - 1;
  for (; run != shared.runs.end() && run->offset < end; ++run) {
    const std::int64_t first = std::max(begin - run->offset, std::int64_t{0});
    const std::int64_t last = std::min(end - run->offset, run->extent);
    visit(*run, first, last - first, run->offset + first - begin);
  }
}

/// Copies op() of a piece of a source's block into a message.
template <MatrixElement T>
void pack(Op op, LocalView<const T> source, const Patch& patch, const Piece& piece, T* message) {
  const std::int64_t height = piece.row_end - piece.row_begin;
  for_each_run(
      *patch.columns, piece.column_begin, piece.column_end,
      [&](const AxisRun& column, std::int64_t j, std::int64_t width, std::int64_t to_j) {
        for_each_run(
            *patch.rows, piece.row_begin, piece.row_end,
            [&](const AxisRun& row, std::int64_t i, std::int64_t length, std::int64_t to_i) {
              const std::int64_t r = row.source + i, c = column.source + j;
              const LocalView<T> to{message + to_i + to_j * height, length, width, height};
              copy(op,
                   op == Op::none ? source.block(r, c, length, width)
                                  : source.block(c, r, width, length),
                   to);
            });
      });
}

/// destination ← α · message + β · destination, in a piece of a destination's block.
template <MatrixElement T>
void unpack(T alpha, const T* message, T beta, LocalView<T> destination, const Patch& patch,
            const Piece& piece) {
  const std::int64_t height = piece.row_end - piece.row_begin;
  for_each_run(
      *patch.columns, piece.column_begin, piece.column_end,
      [&](const AxisRun& column, std::int64_t j, std::int64_t width, std::int64_t to_j) {
        for_each_run(
            *patch.rows, piece.row_begin, piece.row_end,
            [&](const AxisRun& row, std::int64_t i, std::int64_t length, std::int64_t to_i) {
              add(alpha, Op::none,
                  LocalView<const T>{message + to_i + to_j * height, length, width, height}, beta,
                  destination.block(row.destination + i, column.destination + j, length, width));
            });
      });
}

/// destination ← α · op(source) + β · destination, in what a rank has of both. α = 0 does not read
/// the source.
template <MatrixElement T>
void keep(T alpha, Op op, LocalView<const T> source, T beta, LocalView<T> destination,
          const Patch& patch) {
  for (const AxisRun& column : patch.columns->runs) {
    for (const AxisRun& row : patch.rows->runs) {
      const LocalView<T> to =
          destination.block(row.destination, column.destination, row.extent, column.extent);
      if (alpha == T(0)) {
        scale(beta, to);
        continue;
      }
      add(alpha, op,
          op == Op::none ? source.block(row.source, column.source, row.extent, column.extent)
                         : source.block(column.source, row.source, column.extent, row.extent),
          beta, to);
    }
  }
}

}  // namespace cuboid::detail
