#include "mm/matrix/local_views.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace overlap_test {

TEST(Overlap, IsWhatElementsSay) {
  constexpr std::int64_t length = 5, all_columns = 4;
  const std::vector<double> memory(length * all_columns);
  struct Place {
    std::int64_t row, column, rows, columns;
  };
  std::vector<Place> places;
  for (std::int64_t row = 0; row < length; ++row)
    for (std::int64_t column = 0; column < all_columns; ++column)
      for (std::int64_t rows = 0; row + rows <= length; ++rows)
        for (std::int64_t columns = 0; column + columns <= all_columns; ++columns)
          places.push_back({row, column, rows, columns});
  const auto view = [&](const Place& place) {
    return LocalView<const double>{memory.data() + place.row + place.column * length, place.rows,
                                   place.columns, length};
  };
  const auto apart = [](std::int64_t begin, std::int64_t extent, std::int64_t other,
                        std::int64_t other_extent) {
    return begin + extent <= other || other + other_extent <= begin || extent == 0 ||
           other_extent == 0;
  };
  for (const Place& one : places) {
    for (const Place& other : places) {
      const bool share = !apart(one.row, one.rows, other.row, other.rows) &&
                         !apart(one.column, one.columns, other.column, other.columns);
      ASSERT_EQ(overlap(view(one), view(other)), share)
          << one.row << "," << one.column << " and " << other.row << "," << other.column;
    }
  }
}

TEST(Overlap, OfOtherLeadingDimensionsWhereTheyBegin) {
  const std::vector<double> memory(30);
  const LocalView<const double> wide{memory.data(), 3, 2, 5}, narrow{memory.data(), 2, 2, 4};
  EXPECT_TRUE(overlap(wide, narrow));
  EXPECT_FALSE(overlap(wide, {memory.data() + 1, 0, 2, 4}));
}

}  // namespace overlap_test
}  // namespace cuboid::detail
