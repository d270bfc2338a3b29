#pragma once

#include <cuboid/layout.hpp>

#include "mm/files/npy_header.hpp"

#include <algorithm>
#include <cstdint>

namespace cuboid::detail {

/// Elements of a matrix that one rank owns and that are contiguous in a file.
struct FileRun {
  std::int64_t position = 0;  ///< place of the first element in the file, in elements
  std::int64_t count = 0;
  Local<Row> row;  ///< row of the first element in the owner's part
  /// Column of the first; the others follow down it (row-major: along the row).
  Local<Column> column;
};

/// Calls visit(FileRun) for all elements that `rank` owns, in the file's order, in runs of at most
/// `longest` elements. Does not communicate.
template <class Visit>
void for_each_file_run(const Layout& layout, int rank, ElementOrder order, std::int64_t longest,
                       const Visit& visit) {
  const auto here = layout.grid().position(rank);
  if (!here) return;
  const Local<Row> row_end{layout.local_rows(rank)};
  const Local<Column> column_end{layout.local_columns(rank)};
  if (row_end.value == 0) return;  // the columns may be too many to go through

  if (order == ElementOrder::column_major) {
    for (Local<Column> j; j < column_end; ++j) {
      const std::int64_t line = layout.columns().global(here->column, j).value * layout.m();
      for (Local<Row> i; i < row_end;) {
        const Global<Row> first = layout.rows().global(here->row, i);
        const std::int64_t count = std::min(layout.rows().run_end(first) - first, longest);
        visit(FileRun{line + first.value, count, i, j});
        i += count;
      }
    }
  } else {
    for (Local<Row> i; i < row_end; ++i) {
      const std::int64_t line = layout.rows().global(here->row, i).value * layout.n();
      for (Local<Column> j; j < column_end;) {
        const Global<Column> first = layout.columns().global(here->column, j);
        const std::int64_t count = std::min(layout.columns().run_end(first) - first, longest);
        visit(FileRun{line + first.value, count, i, j});
        j += count;
      }
    }
  }
}

}  // namespace cuboid::detail
