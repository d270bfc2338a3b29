// How triangles are cut into blocks.

#include "mm/triangles/triangle_blocks.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace triangle_blocks_test {

TEST(TriangleBlocks, CoverATriangleOnceSquaresFirst) {
  for (const std::int64_t n : {0, 1, 5, 1023, 1024, 1500, 2048, 3001}) {
    for (const std::int64_t block : {1, 7, 64, 2000}) {
      for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
        const bool lower = triangle == Triangle::lower;
        std::int64_t elements = 0, squares = 0;
        bool rectangles_began = false;
        for (const TriangleBlock& one : triangle_blocks(n, triangle, block)) {
          EXPECT_GT(one.rows.length, 0);
          EXPECT_GT(one.columns.length, 0);
          elements +=
              one.rows.length * (one.on_diagonal() ? one.rows.length + 1 : 2 * one.columns.length);
          if (one.on_diagonal()) {
            EXPECT_FALSE(rectangles_began);
            squares += one.rows.length;
            continue;
          }
          rectangles_began = true;
          const TriangleRange& first = lower ? one.columns : one.rows;
          const TriangleRange& second = lower ? one.rows : one.columns;
          EXPECT_LE(first.begin + first.length, second.begin);
          if (block * 8 <= n) {
            EXPECT_EQ(second.begin % block, 0);
          }
        }
        EXPECT_EQ(elements, n * (n + 1));
        EXPECT_EQ(squares, n);
      }
    }
  }
}

TEST(TriangleBlocks, FiveEighthsOfTheWorkAreLeft) {
  std::int64_t work = 0;
  for (const TriangleBlock& one : triangle_blocks(4096, Triangle::lower, 64))
    work += one.rows.length * one.columns.length;
  EXPECT_EQ(work, std::int64_t{4096} * 4096 * 5 / 8);
}

}  // namespace triangle_blocks_test
}  // namespace cuboid::detail
