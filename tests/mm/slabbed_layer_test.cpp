#include <cuboid/mm/slabbed_layer.hpp>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

TEST(Slabs, take_an_equal_part_of_every_piece) {
  for (const int count : {1, 2, 3, 8}) {
    for (const std::vector<std::int64_t>& pieces :
         {std::vector<std::int64_t>{0}, {7}, {5, 4, 0, 1}, {16, 16}}) {
      const std::vector<Slab> slabs = cut_slabs(pieces, count);
      ASSERT_EQ(std::ssize(slabs), count);
      std::int64_t before = 0;
      std::vector<std::int64_t> begin{0};
      for (const std::int64_t piece : pieces) begin.push_back(begin.back() + piece);
      std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
      for (const Slab& slab : slabs) {
        EXPECT_EQ(slab.begin, before);
        std::int64_t extent = 0;
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
          const auto& range = slab.ranges[piece];
          EXPECT_EQ(range.begin.value, next[piece]);
          EXPECT_NEAR(static_cast<double>(range.extent()),
                      static_cast<double>(pieces[piece]) / count, 1);
          next[piece] = range.end.value;
          extent += range.extent();
        }
        EXPECT_EQ(slab.extent, extent);
        before += extent;
      }
      for (std::size_t piece = 0; piece < pieces.size(); ++piece)
        EXPECT_EQ(next[piece], begin[piece + 1]);
    }
  }
}

TEST(Slabs, are_neither_narrow_nor_many) {
  EXPECT_EQ(number_of_slabs(0, 100), 1);
  EXPECT_EQ(number_of_slabs(100, 10'000), 1);
  EXPECT_EQ(number_of_slabs(512, 600), 8);
  EXPECT_EQ(number_of_slabs(100'000, 100'000), 16);
}

}  // namespace
}  // namespace cuboid
