#pragma once

#include <cuboid/matrix.hpp>

#include "mm/matrix/local_copy.hpp"
#include "mm/redistribution/exchange_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cuboid::detail {

/// The parts of the runs that lie in [begin, end) of shared indices. Their offsets count from
/// `begin`.
inline std::vector<AxisRun> runs_in(const SharedIndices& shared, std::int64_t begin,
                                    std::int64_t end) {
  std::vector<AxisRun> clipped;
  auto run = std::ranges::upper_bound(shared.runs, begin, {}, &AxisRun::offset) - 1;
  for (; run != shared.runs.end() && run->offset < end; ++run) {
    const std::int64_t first = std::max(begin - run->offset, std::int64_t{0});
    const std::int64_t last = std::min(end - run->offset, run->extent);
    clipped.push_back(
        {run->source + first, run->destination + first, last - first, run->offset + first - begin});
  }
  return clipped;
}

/// The rows and columns of a piece.
struct PieceRuns {
  std::vector<AxisRun> rows, columns;
  std::int64_t height;  ///< number of rows of the piece in a message

  PieceRuns(const Patch& patch, const PatchPiece& piece)
      : rows(runs_in(*patch.rows, piece.row_begin, piece.row_end)),
        columns(runs_in(*patch.columns, piece.column_begin, piece.column_end)),
        height(piece.row_end - piece.row_begin) {}
};

/// Calls visit(run of columns, index in the run) column by column. So a walk along the rows of a
/// column meets few pages and uses whole cache lines.
template <class Visit>
void for_each_column(const std::vector<AxisRun>& columns, const Visit& visit) {
  for (const AxisRun& column : columns) {
    for (std::int64_t j = 0; j < column.extent; ++j) visit(column, j);
  }
}

/// Copies op() of a piece of a source's block into a message.
template <MatrixElement T>
void pack(Op op, LocalView<const T> source, const Patch& patch, const PatchPiece& piece,
          T* message) {
  const PieceRuns runs(patch, piece);
  if (op == Op::none) {
    for_each_column(runs.columns, [&](const AxisRun& column, std::int64_t j) {
      const T* const from = source.column(column.source + j);
      T* const to = message + (column.offset + j) * runs.height;
      const bool last = j + 1 == column.extent;
      for (const AxisRun& row : runs.rows) {
        if (!last) prefetch_run(from + source.leading_dimension + row.source, row.extent);
        add_run(T(1), from + row.source, T(0), to + row.offset, row.extent);
      }
    });
    return;
  }
  for (const AxisRun& column : runs.columns) {
    for (const AxisRun& row : runs.rows) {
      copy(op, source.block(column.source, row.source, column.extent, row.extent),
           LocalView<T>{message + row.offset + column.offset * runs.height, row.extent,
                        column.extent, runs.height});
    }
  }
}

/// destination ← α · message + β · destination, in a piece of a destination's block.
template <MatrixElement T>
void unpack(T alpha, const T* message, T beta, LocalView<T> destination, const Patch& patch,
            const PatchPiece& piece) {
  const PieceRuns runs(patch, piece);
  for_each_column(runs.columns, [&](const AxisRun& column, std::int64_t j) {
    const T* const from = message + (column.offset + j) * runs.height;
    T* const to = destination.column(column.destination + j);
    const bool last = j + 1 == column.extent;
    for (const AxisRun& row : runs.rows) {
      if (!last) prefetch_run(to + destination.leading_dimension + row.destination, row.extent);
      add_run(alpha, from + row.offset, beta, to + row.destination, row.extent);
    }
  });
}

/// destination ← α · op(source) + β · destination, in the part of both that a rank owns. α = 0 does
/// not read the source.
template <MatrixElement T>
void keep(T alpha, Op op, LocalView<const T> source, T beta, LocalView<T> destination,
          const Patch& patch) {
  const std::vector<AxisRun>& rows = patch.rows->runs;
  const std::vector<AxisRun>& columns = patch.columns->runs;
  if (alpha != T(0) && op == Op::none) {
    for_each_column(columns, [&](const AxisRun& column, std::int64_t j) {
      const T* const from = source.column(column.source + j);
      T* const to = destination.column(column.destination + j);
      const bool last = j + 1 == column.extent;
      for (const AxisRun& row : rows) {
        if (!last) {
          prefetch_run(from + source.leading_dimension + row.source, row.extent);
          prefetch_run(to + destination.leading_dimension + row.destination, row.extent);
        }
        add_run(alpha, from + row.source, beta, to + row.destination, row.extent);
      }
    });
    return;
  }
  for (const AxisRun& column : columns) {
    for (const AxisRun& row : rows) {
      const LocalView<T> to =
          destination.block(row.destination, column.destination, row.extent, column.extent);
      if (alpha == T(0)) {
        scale(beta, to);
      } else {
        add(alpha, op, source.block(column.source, row.source, column.extent, row.extent), beta,
            to);
      }
    }
  }
}

}  // namespace cuboid::detail
