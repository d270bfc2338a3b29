#include "mm/decompositions/layered_grid.hpp"

#include <cuboid/error.hpp>

#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The number of rows of all layers together.
int all_rows(int rows, int columns, int layers) {
  if (rows < 1 || columns < 1 || layers < 1 ||
      std::int64_t{rows} * columns > std::numeric_limits<int>::max() / layers) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("layered grid {}x{}x{}: give extents of at least 1, and at most 2^31 - 1 "
                    "ranks",
                    rows, columns, layers));
  }
  return rows * layers;
}

}  // namespace

LayeredGrid::LayeredGrid(int rows, int columns, int layers)
    : rows_(rows),
      columns_(columns),
      layers_(layers),
      places_(all_rows(rows, columns, layers), columns) {}

LayeredGrid::LayeredGrid(int rows, int columns, int layers, std::vector<int> ranks)
    : rows_(rows),
      columns_(columns),
      layers_(layers),
      places_(all_rows(rows, columns, layers), columns, std::move(ranks)) {}

LayeredGrid::LayeredGrid(int rows, int columns, int layers,
                         std::shared_ptr<const GridNumbering> numbering)
    : rows_(rows),
      columns_(columns),
      layers_(layers),
      places_(all_rows(rows, columns, layers), columns, std::move(numbering)) {}

int LayeredGrid::rank(const LayeredPosition& position) const {
  return places_.rank({position.layer * rows_ + position.row, position.column});
}

std::optional<LayeredPosition> LayeredGrid::position(int rank) const {
  const auto place = places_.position(rank);
  if (!place) return std::nullopt;
  return LayeredPosition{place->row % rows_, place->column, place->row / rows_};
}

Layout LayeredGrid::a_layout(std::int64_t m, std::int64_t k) const {
  std::vector<int> ranks;
  for (int row = 0; row < rows_; ++row) {
    for (int layer = 0; layer < layers_; ++layer) {
      for (int column = 0; column < columns_; ++column) ranks.push_back(rank({row, column, layer}));
    }
  }
  return {BlockCyclic<Row>::even(m, rows_), BlockCyclic<Column>::even(k, layers_, columns_),
          GridShape(rows_, layers_ * columns_, std::move(ranks))};
}

Layout LayeredGrid::b_layout(std::int64_t k, std::int64_t n) const {
  return {BlockCyclic<Row>::even(k, layers_, rows_), BlockCyclic<Column>::even(n, columns_),
          places_};
}

Layout LayeredGrid::a_layout_in_rows(std::int64_t m, std::int64_t k) const {
  std::vector<int> ranks;
  for (int row = 0; row < rows_; ++row) {
    for (int column = 0; column < columns_; ++column) {
      for (int layer = 0; layer < layers_; ++layer) ranks.push_back(rank({row, column, layer}));
    }
  }
  return {slab_rows(m), BlockCyclic<Column>::even(k, layers_),
          GridShape(rows_ * columns_, layers_, std::move(ranks))};
}

Layout LayeredGrid::b_layout_in_columns(std::int64_t k, std::int64_t n) const {
  std::vector<int> ranks;
  for (int layer = 0; layer < layers_; ++layer) {
    for (int column = 0; column < columns_; ++column) {
      for (int row = 0; row < rows_; ++row) ranks.push_back(rank({row, column, layer}));
    }
  }
  return {BlockCyclic<Row>::even(k, layers_), slab_columns(n),
          GridShape(layers_, columns_ * rows_, std::move(ranks))};
}

GridShape LayeredGrid::first_layer() const {
  std::vector<int> ranks;
  for (int row = 0; row < rows_; ++row) {
    for (int column = 0; column < columns_; ++column) ranks.push_back(rank({row, column, 0}));
  }
  return {rows_, columns_, std::move(ranks)};
}

Layout LayeredGrid::c_layout(std::int64_t m, std::int64_t n) const {
  std::vector<int> ranks;
  for (int row = 0; row < rows_; ++row) {
    for (int column = 0; column < columns_; ++column) {
      for (int layer = 0; layer < layers_; ++layer) ranks.push_back(rank({row, column, layer}));
    }
  }
  return {BlockCyclic<Row>::even(m, rows_), c_columns(n),
          GridShape(rows_, columns_ * layers_, std::move(ranks))};
}

std::string to_string(const LayeredGrid& grid) {
  const bool listed = grid.b_layout(0, 0).grid().is_listed();
  return fmt::format("{}x{}x{}{}", grid.rows(), grid.columns(), grid.layers(),
                     listed ? " reordered" : "");
}

}  // namespace cuboid::detail
