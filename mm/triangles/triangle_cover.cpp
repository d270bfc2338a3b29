#include "mm/triangles/triangle_cover.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

class LowerCover {
 public:
  LowerCover(const Layout& layout, GridPosition here) : layout_(layout), here_(here) {
    cover({{0, layout.rows().local_extent(here.row)},
           {0, layout.columns().local_extent(here.column)}});
  }
  std::vector<LocalRectangle> take() && { return std::move(rectangles_); }

 private:
  // The first local row that is not above the diagonal in a local column.
  std::int64_t first_row(std::int64_t column) const {
    const auto global = layout_.columns().global(here_.column, Local<Column>(column));
    return layout_.rows().first_local(here_.row, Global<Row>(global.value)).value;
  }

  void cover(const LocalRectangle& part) {
    constexpr std::int64_t narrow = 64;
    const auto& [begin, end] = part.columns;
    if (begin == end) return;
    const Extent rows{first_row(begin), part.rows.end};
    if (rows.length() <= 0) return;
    if (end - begin <= narrow) {
      rectangles_.push_back({rows, part.columns});
      return;
    }
    const std::int64_t half = begin + (end - begin) / 2;
    const std::int64_t row = std::min(first_row(half), rows.end);
    if (row < rows.end) rectangles_.push_back({{row, rows.end}, {begin, half}});
    cover({{0, row}, {begin, half}});
    cover({rows, {half, end}});
  }

  const Layout& layout_;
  GridPosition here_;
  std::vector<LocalRectangle> rectangles_;
};

}  // namespace

std::vector<LocalRectangle> triangle_cover(const Layout& layout, GridPosition here,
                                           Triangle triangle) {
  if (triangle == Triangle::lower) return LowerCover(layout, here).take();
  const Layout transposed = layout.transposed();
  auto rectangles = LowerCover(transposed, {here.column, here.row}).take();
  for (auto& [rows, columns] : rectangles) std::swap(rows, columns);
  return rectangles;
}

}  // namespace cuboid::detail
