#include "mm/decompositions/required_layouts.hpp"

#include "mm/decompositions/delivery.hpp"

#include <algorithm>

namespace cuboid::detail {

namespace {

/// C's layout, unchanged if it is on the grid, else one block per rank.
Layout c_in_blocks(const ProductLayouts& product, const GridShape& grid) {
  const Layout& C = product.C;
  return C.grid() == grid ? C : Layout::block(C.m(), C.n(), grid);
}

/// The layout of a tall operand (see TallOperand) that other ranks read.
Layout readable(const Layout& tall, const BlockCyclic<Row>& vectors, const GridShape& grid) {
  constexpr std::int64_t shortest_run = 64;
  const BlockCyclic<Column>& inner = tall.columns();
  const bool long_runs = inner.processes() == 1 || inner.block() >= shortest_run ||
                         inner.block() * inner.processes() >= inner.extent();
  if (tall.grid() == grid && tall.rows() == vectors && long_runs) return tall;
  return {vectors, BlockCyclic<Column>::blocks(inner.extent(), grid.columns()), grid};
}

/// True if each process has at most one run of indices, in the order of processes.
bool in_runs_by_process(const BlockCyclic<Column>& columns) {
  int last = -1;
  for (Global<Column> begin; begin.value < columns.extent(); begin = columns.run_end(begin)) {
    const int owner = columns.owner(begin);
    if (owner <= last) return false;
    last = owner;
  }
  return true;
}

/// The present layout if it is on the grid, with these rows, and its columns are in runs by
/// process; otherwise an even layout.
Layout in_runs(const Layout& lies, const BlockCyclic<Row>& rows, const GridShape& grid) {
  if (lies.grid() == grid && lies.rows() == rows && in_runs_by_process(lies.columns())) return lies;
  return {rows, BlockCyclic<Column>::even(lies.n(), grid.columns()), grid};
}

}  // namespace

RequiredLayouts wanted_for_stationary(const ProductLayouts& product, const GridShape& grid,
                                      StationaryOperand stays) {
  if (stays == StationaryOperand::b) {
    const ProductLayouts transposed{applied(product.op_b, product.B).transposed(), Op::none,
                                    applied(product.op_a, product.A).transposed(), Op::none,
                                    product.C.transposed()};
    const RequiredLayouts wanted =
        wanted_for_stationary(transposed, grid.transposed(), StationaryOperand::a);
    return {wanted.B.transposed(), wanted.A.transposed(), wanted.C.transposed()};
  }
  const Layout lies = applied(product.op_a, product.A);
  const Layout A = lies.grid() == grid ? lies : Layout::block(lies.m(), lies.n(), grid);
  return {A, in_runs(applied(product.op_b, product.B), A.columns().as<Row>(), grid.transposed()),
          in_runs(product.C, A.rows(), grid)};
}

RequiredLayouts wanted_for_panels(const ProductLayouts& product, const GridShape& grid,
                                  std::int64_t panel_width) {
  const Layout C = c_in_blocks(product, grid);
  const auto wanted = [&](const Layout& tall, const BlockCyclic<Row>& vectors,
                          const GridShape& tall_grid) -> Layout {
    if (choose_delivery(tall, {vectors, tall_grid}, panel_width) != Delivery::redistribute)
      return tall;
    return {vectors, BlockCyclic<Column>::even(tall.n(), tall_grid.columns()), tall_grid};
  };
  return {wanted(applied(product.op_a, product.A), C.rows(), grid),
          wanted(applied(product.op_b, product.B).transposed(), C.columns().as<Row>(),
                 grid.transposed())
              .transposed(),
          C};
}

RequiredLayouts wanted_for_rotation(const ProductLayouts& product, const GridShape& grid,
                                    std::span<const Rotation> colours) {
  const auto& [m, n, k] = product.size();
  const Layout C = product.C.grid() == grid
                       ? product.C
                       : Layout(BlockCyclic<Row>::even(m, grid.rows()),
                                BlockCyclic<Column>::even(n, grid.columns()), grid);
  RequiredLayouts wanted{{C.rows(), BlockCyclic<Column>::even(k, grid.columns()), grid},
                         {BlockCyclic<Row>::even(k, grid.rows()), C.columns(), grid},
                         C};
  const bool may_be_skewed = colours.size() == 1 && grid.rows() == grid.columns() &&
                             colours.front().steps() == grid.rows();
  if (!may_be_skewed) return wanted;
  const auto skew = [&](Side side, const Layout& lies, Layout& layout) {
    const Layout skewed_layout(layout.rows(), layout.columns(),
                               skewed(grid, colours.front(), side));
    if (lies == skewed_layout) layout = skewed_layout;
  };
  skew(Side::left, applied(product.op_a, product.A), wanted.A);
  skew(Side::right, applied(product.op_b, product.B), wanted.B);
  return wanted;
}

RequiredLayouts wanted_for_reading(const ProductLayouts& product, const GridShape& grid) {
  const Layout C = c_in_blocks(product, grid);
  return {readable(applied(product.op_a, product.A), C.rows(), grid),
          readable(applied(product.op_b, product.B).transposed(), C.columns().as<Row>(),
                   grid.transposed())
              .transposed(),
          C};
}

RequiredLayouts wanted_in_layers(const ProductSize& size, const LayeredGrid& grid,
                                 LayerAlgorithm inside) {
  const auto& [m, n, k] = size;
  if (inside == LayerAlgorithm::slabs)
    return {grid.a_layout_in_rows(m, k), grid.b_layout_in_columns(k, n), grid.c_layout(m, n)};
  return {grid.a_layout(m, k), grid.b_layout(k, n), grid.c_layout(m, n)};
}

RequiredLayouts wanted_on_first_layer(const ProductSize& size, const LayeredGrid& grid) {
  const auto& [m, n, k] = size;
  const GridShape ranks = grid.first_layer();
  const auto in_blocks = [&](std::int64_t rows, std::int64_t columns) {
    return Layout(BlockCyclic<Row>::even(rows, ranks.rows()),
                  BlockCyclic<Column>::even(columns, ranks.columns()), ranks);
  };
  return {in_blocks(m, k), in_blocks(k, n), in_blocks(m, n)};
}

}  // namespace cuboid::detail
