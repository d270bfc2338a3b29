#include "bindings/scalapack/calls/descriptor.hpp"

namespace cuboid::detail::scalapack {

namespace {

constexpr int block_cyclic_2d = 1;
constexpr int block_cyclic_2d_with_first_blocks = 2;

/// One dimension of a distributed matrix. If the first block is shorter, it is the end of a block
/// whose beginning is missing.
struct Axis {
  std::int64_t extent;
  std::int64_t first_block;
  std::int64_t block;
  int source;
  int processes;

  bool is_served() const {
    return extent >= 1 && block >= 1 && first_block >= 1 && first_block <= block && source >= 0 &&
           source < processes;
  }
  template <class Dimension>
  BlockCyclic<Dimension> distribution() const {
    const Global<Dimension> begin(block - first_block);
    const BlockCyclic<Dimension> whole(begin.value + extent, block, processes, source);
    return begin.value == 0 ? whole : whole.slice({begin, begin + extent});
  }
};

Axis rows_of(const MatrixDescriptor& all, int processes) {
  return {all.rows, all.first_row_block, all.row_block, all.row_source, processes};
}

Axis columns_of(const MatrixDescriptor& all, int processes) {
  return {all.columns, all.first_column_block, all.column_block, all.column_source, processes};
}

bool is_within(int begin, int extent, int all) {
  return begin >= 1 && extent >= 0 && begin - 1 <= all - extent;
}

}  // namespace

MatrixDescriptor MatrixDescriptor::read(const int* words) {
  if (words[0] == block_cyclic_2d) return read_plain(words);
  if (words[0] != block_cyclic_2d_with_first_blocks) return {.context = words[1]};
  MatrixDescriptor read = read_plain(words + 2);
  read.context = words[1];
  read.rows = words[2];
  read.columns = words[3];
  read.first_row_block = words[4];
  read.first_column_block = words[5];
  return read;
}

MatrixDescriptor MatrixDescriptor::read_plain(const int* words) {
  return {.context = words[1],
          .rows = words[2],
          .columns = words[3],
          .first_row_block = words[4],
          .first_column_block = words[5],
          .row_block = words[4],
          .column_block = words[5],
          .row_source = words[6],
          .column_source = words[7],
          .leading_dimension = words[8]};
}

bool is_served(const Submatrix& part, const BlacsGrid& grid) {
  const MatrixDescriptor& all = part.descriptor;
  const Axis rows = rows_of(all, grid.rows);
  const Axis columns = columns_of(all, grid.columns);
  if (!rows.is_served() || !columns.is_served() || all.leading_dimension < 1) return false;
  if (!is_within(part.i, part.rows, all.rows) || !is_within(part.j, part.columns, all.columns))
    return false;
  return all.leading_dimension >= rows.distribution<Row>().local_extent(grid.row) ||
         columns.distribution<Column>().local_extent(grid.column) == 0;
}

Layout layout_of_all(const MatrixDescriptor& descriptor, const GridShape& ranks) {
  return Layout(rows_of(descriptor, ranks.rows()).distribution<Row>(),
                columns_of(descriptor, ranks.columns()).distribution<Column>(), ranks);
}

Layout layout_of(const Submatrix& part, const GridShape& ranks) {
  return layout_of_all(part.descriptor, ranks).slice(range_of(part));
}

BlockRange range_of(const Submatrix& part) {
  const Global<Row> i(part.i - 1);
  const Global<Column> j(part.j - 1);
  return {{i, i + part.rows}, {j, j + part.columns}};
}

}  // namespace cuboid::detail::scalapack
