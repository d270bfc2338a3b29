#include "bindings/scalapack/descriptor.hpp"

#include <algorithm>

namespace cuboid::detail::scalapack {

namespace {

constexpr int block_cyclic_2d = 1;
constexpr int block_cyclic_2d_with_first_blocks = 2;

/// One dimension of a submatrix: `extent` indices from `begin` on, which counts from 0.
struct Axis {
  std::int64_t begin;
  std::int64_t extent;
  std::int64_t all;
  std::int64_t first_block;
  std::int64_t block;
  int source;
  int processes;

  bool lies_in_blocks() const {
    return processes == 1 || begin % block == 0 || begin % block + extent <= block;
  }
  int first_process() const { return static_cast<int>((begin / block + source) % processes); }
  template <class Dimension>
  BlockCyclic<Dimension> of_all() const {
    return BlockCyclic<Dimension>(all, block, processes, source);
  }
  template <class Dimension>
  BlockCyclic<Dimension> of_part() const {
    return BlockCyclic<Dimension>(extent, block, processes, first_process());
  }
};

Axis rows_of(const Submatrix& part, int processes) {
  const Descriptor& all = part.descriptor;
  return {part.i - 1,    part.rows,      all.rows, all.first_row_block,
          all.row_block, all.row_source, processes};
}

Axis columns_of(const Submatrix& part, int processes) {
  const Descriptor& all = part.descriptor;
  return {part.j - 1,       part.columns,      all.columns, all.first_column_block,
          all.column_block, all.column_source, processes};
}

bool is_served(const Axis& axis) {
  return axis.begin >= 0 && axis.extent >= 0 && axis.all >= 1 && axis.block >= 1 &&
         axis.first_block == axis.block && axis.source >= 0 && axis.source < axis.processes &&
         axis.begin + axis.extent <= axis.all;
}

}  // namespace

Descriptor Descriptor::read(const int* words) {
  Descriptor read;
  read.type = words[0];
  read.context = words[1];
  if (read.type != block_cyclic_2d && read.type != block_cyclic_2d_with_first_blocks) return read;
  read.rows = words[2];
  read.columns = words[3];
  read.first_row_block = words[4];
  read.first_column_block = words[5];
  if (read.type == block_cyclic_2d_with_first_blocks) words += 2;
  read.row_block = words[4];
  read.column_block = words[5];
  read.row_source = words[6];
  read.column_source = words[7];
  read.leading_dimension = words[8];
  return read;
}

bool is_served(const Submatrix& part, int context, const BlacsGrid& grid) {
  const Descriptor& all = part.descriptor;
  if (all.context != context) return false;
  const Axis rows = rows_of(part, grid.rows);
  const Axis columns = columns_of(part, grid.columns);
  if (!is_served(rows) || !is_served(columns) || all.leading_dimension < 1) return false;
  return all.leading_dimension >= rows.of_all<Row>().local_extent(grid.row) ||
         columns.of_all<Column>().local_extent(grid.column) == 0;
}

bool lies_in_blocks(const Submatrix& part, const BlacsGrid& grid) {
  return rows_of(part, grid.rows).lies_in_blocks() &&
         columns_of(part, grid.columns).lies_in_blocks();
}

Layout layout_of_all(const Descriptor& descriptor, const GridShape& ranks) {
  return Layout::block_cyclic(descriptor.rows, descriptor.columns, descriptor.row_block,
                              descriptor.column_block, ranks,
                              {descriptor.row_source, descriptor.column_source});
}

Layout layout_of(const Submatrix& part, const GridShape& ranks) {
  return Layout(rows_of(part, ranks.rows()).of_part<Row>(),
                columns_of(part, ranks.columns()).of_part<Column>(), ranks);
}

BlockRange range_of(const Submatrix& part) {
  const Global<Row> i(part.i - 1);
  const Global<Column> j(part.j - 1);
  return {{i, i + part.rows}, {j, j + part.columns}};
}

LocalOrigin origin_of(const Submatrix& part, const BlacsGrid& grid) {
  const Axis rows = rows_of(part, grid.rows);
  const Axis columns = columns_of(part, grid.columns);
  return {rows.of_all<Row>().first_local(grid.row, Global<Row>(rows.begin)).value,
          columns.of_all<Column>().first_local(grid.column, Global<Column>(columns.begin)).value};
}

}  // namespace cuboid::detail::scalapack
