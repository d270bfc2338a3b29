#include "mm/plan/busiest_link.hpp"

#include <cuboid/shape.hpp>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace busiest_link_test {

Placement one_rank_per_node(const char* shape) {
  return Placement::by_node(parse_shape(shape), 1);
}

TEST(BusiestLink, nothing_leaves_a_node) {
  const auto one_node = Placement::flat(4);
  const ProductSize size{16, 16, 16};
  EXPECT_EQ(busiest_link_of_srumma(GridShape(2, 2), size, one_node).operands, 0);
  const BrickGrid bricks(size, {{WorkAxis::inner, 2}, {WorkAxis::rows, 2}});
  const BusiestLink link = busiest_link_of_bricks(bricks, one_node);
  EXPECT_EQ(link.operands, 0);
  EXPECT_EQ(link.sums, 0);
}

TEST(BusiestLink, of_srumma_on_rings) {
  const ProductSize size{4, 6, 12};
  const auto words = [&](int ranks, const char* shape) {
    return busiest_link_of_srumma(GridShape(1, ranks), size, one_rank_per_node(shape)).operands;
  };
  // The other half of 4 rows of A.
  EXPECT_EQ(words(2, "ring:2"), 4 * 6);
  // From both neighbours, one on each side.
  EXPECT_EQ(words(3, "ring:3"), 4 * 4);
  // Two ranks read what two own on the other side of the middle.
  EXPECT_EQ(words(4, "mesh:4"), 4 * 3 * 4);
  // Rows and columns of a torus have links of their own.
  EXPECT_EQ(
      busiest_link_of_srumma(GridShape(3, 3), {9, 9, 9}, one_rank_per_node("torus:3x3")).operands,
      3 * 3);
}

// On rings of 32 every rank reads from all others, half of them from either side: 32²/8 blocks
// cross each link. Some ranks stand for all.
TEST(BusiestLink, of_many_ranks_is_that_of_some) {
  const double block = 4.0 * 2.0;
  EXPECT_NEAR(
      busiest_link_of_srumma(GridShape(32, 32), {128, 128, 64}, one_rank_per_node("torus:32x32"))
          .operands,
      block * 32 * 32 / 8, 1e-6);
  const BrickGrid bricks({64, 64, 64}, {{WorkAxis::rows, 64}, {WorkAxis::columns, 16}});
  // Both ways round a ring of 16 the other parts of a face; those of 64 ranks, over planes of 8x8.
  const auto busiest = busiest_link_of_bricks(bricks, one_rank_per_node("torus:8x8x16"));
  EXPECT_GT(busiest.operands, 0);
}

// Up to 256 ranks all are followed.
TEST(BusiestLink, does_not_jump_where_some_ranks_stand_for_all) {
  const auto of_srumma = [](int rows, const char* shape) {
    return busiest_link_of_srumma(GridShape(rows, 17), {4080, 4080, 4080}, one_rank_per_node(shape))
        .operands;
  };
  EXPECT_NEAR(of_srumma(15, "torus:15x17") / of_srumma(16, "torus:16x17"), 1, 0.3);
  EXPECT_NEAR(of_srumma(15, "mesh:15x17") / of_srumma(16, "mesh:16x17"), 1, 0.3);
  const auto of_bricks = [](int columns, const char* shape) {
    const BrickGrid bricks(
        {4200, 4200, 4200},
        {{WorkAxis::rows, 6}, {WorkAxis::columns, columns}, {WorkAxis::inner, 7}});
    return busiest_link_of_bricks(bricks, one_rank_per_node(shape));
  };
  const BusiestLink before = of_bricks(6, "torus:6x6x7");
  const BusiestLink after = of_bricks(7, "torus:6x7x7");
  EXPECT_NEAR(before.operands / after.operands, 1, 0.3);
  EXPECT_NEAR(before.sums / after.sums, 1, 0.3);
}

TEST(BusiestLink, of_bricks_split_by_split) {
  const ProductSize size{16, 16, 16};
  // A pair swaps halves of a layer's A, then another of them B; sums of C follow.
  const BrickGrid pairs(size, {{WorkAxis::inner, 2}, {WorkAxis::columns, 2}});
  const BusiestLink link = busiest_link_of_bricks(pairs, one_rank_per_node("ring:4"));
  EXPECT_EQ(link.operands, 16 * 8 / 2);
  // Ranks 0 and 2, 1 and 3 face each other: of two messages to each side, either way has one.
  EXPECT_EQ(link.sums, 16 * 8 / 2);

  // All-gathers round a ring use both its ways: of 3 blocks that come, half by either.
  const BrickGrid ring(size, {{WorkAxis::columns, 4}});
  EXPECT_EQ(busiest_link_of_bricks(ring, one_rank_per_node("ring:4")).operands, 16 * 4 * 1.5);
  EXPECT_EQ(busiest_link_of_bricks(ring, one_rank_per_node("mesh:4")).operands, 16 * 4 * 3);

  // The second of two splits of one axis moves what the first brought.
  const BrickGrid twice(size, {{WorkAxis::columns, 2}, {WorkAxis::columns, 2}});
  EXPECT_EQ(busiest_link_of_bricks(twice, one_rank_per_node("ring:4")).operands,
            16 * 4 * 1 + 16 * 4 * 2);
}

TEST(BusiestLink, rows_and_columns_on_their_own_rings_do_not_meet) {
  const ProductSize size{16, 16, 16};
  const Placement torus = one_rank_per_node("torus:3x3");
  const BrickGrid both(size, {{WorkAxis::columns, 3}, {WorkAxis::rows, 3}});
  const BrickGrid bricks_of_a({16, 48, 16}, {{WorkAxis::columns, 3}, {WorkAxis::rows, 3}});
  const double of_both = busiest_link_of_bricks(both, torus).operands;
  // A block goes one way to either neighbour: every link carries one.
  EXPECT_NEAR(of_both, 16.0 * 16 / 9, 1e-9);
  EXPECT_NEAR(busiest_link_of_bricks(bricks_of_a, torus).operands, 3 * of_both, 1e-9);
}

}  // namespace busiest_link_test
}  // namespace cuboid::detail
