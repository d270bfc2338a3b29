#include <cuboid/error.hpp>
#include <cuboid/layout.hpp>

#include <utility>

#include <fmt/format.h>

namespace cuboid {

Layout::Layout(const BlockCyclic<Row>& rows, const BlockCyclic<Column>& columns,
               const GridShape& grid)
    : rows_(rows), columns_(columns), grid_(grid) {
  if (rows.processes() != grid.rows() || columns.processes() != grid.columns()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("layout: rows over {} and columns over {} processes on a {} grid: give "
                            "distributions over the grid's rows and columns",
                            rows.processes(), columns.processes(), to_string(grid)));
  }
}

Layout Layout::block(std::int64_t m, std::int64_t n, const GridShape& grid) {
  return {BlockCyclic<Row>::blocks(m, grid.rows()), BlockCyclic<Column>::blocks(n, grid.columns()),
          grid};
}

Layout Layout::block_cyclic(std::int64_t m, std::int64_t n, std::int64_t row_block,
                            std::int64_t column_block, const GridShape& grid, GridPosition source) {
  return {BlockCyclic<Row>(m, row_block, grid.rows(), source.row),
          BlockCyclic<Column>(n, column_block, grid.columns(), source.column), grid};
}

Layout Layout::single(std::int64_t m, std::int64_t n) {
  return block(m, n, GridShape());
}

std::int64_t Layout::local_rows(int rank) const {
  const auto position = grid_.position(rank);
  return position ? rows_.local_extent(position->row) : 0;
}

std::int64_t Layout::local_columns(int rank) const {
  const auto position = grid_.position(rank);
  return position ? columns_.local_extent(position->column) : 0;
}

Layout Layout::slice(const BlockRange& block) const {
  return {rows_.slice(block.rows), columns_.slice(block.columns), grid_};
}

Layout Layout::on_ranks(std::span<const int> ranks) const {
  std::vector<int> listed;
  for (int row = 0; row < grid_.rows(); ++row) {
    for (int column = 0; column < grid_.columns(); ++column) {
      const auto rank = static_cast<std::size_t>(grid_.rank({row, column}));
      if (rank >= ranks.size()) {
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("layout: {} ranks in place of those of a {} grid, which has rank "
                                "{}: list one for each",
                                ranks.size(), to_string(grid_), rank));
      }
      listed.push_back(ranks[rank]);
    }
  }
  return {rows_, columns_, GridShape(grid_.rows(), grid_.columns(), std::move(listed))};
}

Layout Layout::transposed() const {
  return {columns_.as<Row>(), rows_.as<Column>(), grid_.transposed()};
}

namespace {

template <class Dimension>
std::string block_text(const BlockCyclic<Dimension>& distribution) {
  return fmt::format(
      "{}{}{}", distribution.is_even() ? "up to " : "", distribution.block(),
      distribution.cycles() > 1 ? fmt::format("({} each)", distribution.cycles()) : "");
}

}  // namespace

std::string to_string(const Layout& layout) {
  const auto pair = [](const char* form, std::int64_t row, std::int64_t column) {
    return row == 0 && column == 0 ? std::string() : fmt::format(fmt::runtime(form), row, column);
  };
  return fmt::format("{}x{} in blocks of {}x{} on a {} grid{}{}", layout.m(), layout.n(),
                     block_text(layout.rows()), block_text(layout.columns()),
                     to_string(layout.grid()),
                     pair(", first on ({},{})", layout.rows().source(), layout.columns().source()),
                     pair(", from ({},{}) on", layout.rows().offset(), layout.columns().offset()));
}

}  // namespace cuboid
