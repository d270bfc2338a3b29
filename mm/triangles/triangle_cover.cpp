#include "mm/triangles/triangle_cover.hpp"

#include "models/multiplication/lower_cover.hpp"

#include <cstdint>
#include <utility>

namespace cuboid::detail {

std::vector<LocalRectangle> triangle_cover(const Layout& layout, GridPosition here,
                                           Triangle triangle) {
  if (triangle == Triangle::upper) {
    auto rectangles = triangle_cover(layout.transposed(), {here.column, here.row}, Triangle::lower);
    for (auto& [rows, columns] : rectangles) std::swap(rows, columns);
    return rectangles;
  }
  const auto first_row = [&](std::int64_t column) {
    const auto global = layout.columns().global(here.column, Local<Column>(column));
    return layout.rows().first_local(here.row, Global<Row>(global.value)).value;
  };
  const Extent rows{0, layout.rows().local_extent(here.row)};
  const Extent columns{0, layout.columns().local_extent(here.column)};
  constexpr std::int64_t any_columns = 1;  // may be cut
  return lower_cover({rows, columns}, any_columns, first_row);
}

}  // namespace cuboid::detail
