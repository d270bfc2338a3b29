#include "mm/triangles/triangle_blocks.hpp"

#include "models/multiplication/lower_cover.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

/// The order from which a triangle is cut: the product of a smaller one takes no longer than the
/// products of its blocks together.
constexpr std::int64_t worth_cutting = 1024;

void cut(const TriangleRange& range, int times, Triangle triangle, std::int64_t block,
         std::vector<TriangleBlock>& squares, std::vector<TriangleBlock>& rectangles) {
  const std::int64_t half = range.length / 2 / block * block;
  if (times == 0 || range.length < worth_cutting || half == 0) {
    squares.push_back({range, range});
    return;
  }
  const TriangleRange first{range.begin, half};
  const TriangleRange second{range.begin + half, range.length - half};
  const bool lower = triangle == Triangle::lower;
  rectangles.push_back({lower ? second : first, lower ? first : second});
  cut(first, times - 1, triangle, block, squares, rectangles);
  cut(second, times - 1, triangle, block, squares, rectangles);
}

}  // namespace

std::vector<TriangleBlock> triangle_blocks(std::int64_t n, Triangle triangle, std::int64_t block) {
  constexpr int most_times = 2;
  constexpr std::int64_t least_blocks = 8;
  const std::int64_t between = block * least_blocks > n ? 1 : std::max<std::int64_t>(block, 1);
  std::vector<TriangleBlock> squares, rectangles;
  if (n == 0) return squares;
  cut({0, n}, most_times, triangle, between, squares, rectangles);
  squares.insert(squares.end(), rectangles.begin(), rectangles.end());
  return squares;
}

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
