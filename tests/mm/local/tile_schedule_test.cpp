#include "mm/local/tile_schedule.hpp"

#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace tile_schedule_test {

/// Rates like those of an H200: 60 TFLOP/s in double precision, 55 GB/s each way.
const DeviceRates h200{.call = 14e-6,
                       .multiplication = 2 / 60e12,
                       .memory_byte = 1 / 4.1e12,
                       .copy_call = 8e-6,
                       .up_byte = 1 / 55e9,
                       .down_byte = 1 / 55e9,
                       .pageable_up_byte = 1 / 6e9,
                       .pageable_down_byte = 1 / 10e9,
                       .pin_byte = 6e-11};

/// Every element of C gets each inner index once; a block is in its slot when it is used; C's tiles
/// come and go once.
void expect_right(const TileProblem& problem, const TileShape& shape) {
  using Block = std::pair<std::int64_t, std::int64_t>;
  std::map<int, Block> in_a, in_b, in_c;
  std::map<Block, std::int64_t> inner_of_tile;
  std::set<Block> stored;
  double work = 0;
  for (const TileStep& step : tile_steps(problem, shape)) {
    const Block a{step.rows.begin, step.inner.begin}, b{step.inner.begin, step.columns.begin},
        tile{step.rows.begin, step.columns.begin};
    if (step.loads_a) in_a[step.a_slot] = a;
    if (step.loads_b) in_b[step.b_slot] = b;
    if (problem.moves_a) {
      ASSERT_LT(step.a_slot, shape.a_slots);
      ASSERT_EQ(in_a.at(step.a_slot), a);
    }
    if (problem.moves_b) {
      ASSERT_LT(step.b_slot, shape.b_slots);
      ASSERT_EQ(in_b.at(step.b_slot), b);
    }
    if (step.first) {
      ASSERT_EQ(inner_of_tile.count(tile), 0u);
      in_c[step.c_slot] = tile;
    }
    ASSERT_EQ(in_c.at(step.c_slot), tile);
    inner_of_tile[tile] += step.inner.extent;
    work += static_cast<double>(step.rows.extent * step.columns.extent * step.inner.extent);
    if (step.last) {
      ASSERT_EQ(inner_of_tile[tile], problem.k);
      ASSERT_TRUE(stored.insert(tile).second);
    }
  }
  EXPECT_EQ(stored.size(), inner_of_tile.size());
  EXPECT_EQ(work, static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                      static_cast<double>(problem.k));
}

TEST(TileSchedule, EveryShapeMultipliesAll) {
  for (const std::int64_t rows : {3, 7, 20})
    for (const std::int64_t columns : {4, 9, 31})
      for (const std::int64_t inner : {1, 5, 13})
        for (const int slots : {1, 2, 3, 50}) {
          const TileShape shape{rows, columns, inner, slots, slots, 2};
          expect_right({20, 31, 13}, shape);
          expect_right({20, 31, 13, 8, true, false, false}, {rows, columns, inner, slots, 0, 0});
        }
}

TEST(TileSchedule, WhatFitsComesOnce) {
  const TileProblem problem{1024, 1024, 1024};
  const TileShape shape{256, 256, 256, 16, 5, 2};
  std::int64_t loads_a = 0, loads_b = 0;
  for (const TileStep& step : tile_steps(problem, shape)) {
    loads_a += step.loads_a ? 1 : 0;
    loads_b += step.loads_b ? 1 : 0;
  }
  EXPECT_EQ(loads_a, 16);
  EXPECT_EQ(loads_b, 16);
}

TEST(TileSchedule, PlansKeepToTheMemory) {
  for (const std::int64_t n : {1, 100, 1000, 5000, 16384})
    for (const std::size_t mebibytes : {1, 10, 100, 1000, 100000}) {
      const TileProblem problem{n, n + 3, 2 * n};
      const auto plan = plan_tiles(problem, mebibytes << 20, h200, HostPages::pinned);
      if (!plan) {
        EXPECT_LT(mebibytes, 100u) << n;
        continue;
      }
      EXPECT_LE(bytes_of_slots(problem, plan->shape), mebibytes << 20) << n;
      expect_right(problem, plan->shape);
    }
}

TEST(TileSchedule, MoreMemoryIsNeverSlower) {
  const TileProblem problem{8192, 8192, 8192};
  double before = 1e9;
  for (const std::size_t mebibytes : {50, 200, 1000, 4000, 100000}) {
    const auto plan = plan_tiles(problem, mebibytes << 20, h200, HostPages::pinned);
    ASSERT_TRUE(plan) << mebibytes;
    EXPECT_LE(plan->seconds, before) << mebibytes;
    before = plan->seconds;
  }
}

/// The rate of the whole is within a tenth of the lower of the device's and the link's.
TEST(TileSchedule, LargeProductsRunAtTheDevicesRate) {
  const std::int64_t n = 16384;
  const TileProblem problem{n, n, n, 8, true, true, true, false};
  const auto plan = plan_tiles(problem, std::size_t{100} << 30, h200, HostPages::pinned);
  ASSERT_TRUE(plan);
  const double n3 = 16384.0 * 16384 * 16384;
  EXPECT_LT(plan->seconds, n3 * h200.multiplication / 0.85);
  EXPECT_GT(plan->seconds, n3 * h200.multiplication);
  const auto pageable = plan_tiles(problem, std::size_t{100} << 30, h200, HostPages::pageable);
  ASSERT_TRUE(pageable);
  EXPECT_GT(pageable->seconds, 1.5 * plan->seconds);
}

/// An update of LU by 256 columns is bound by C's way there and back, which overlap.
TEST(TileSchedule, ThinProductsAreBoundByTheLink) {
  const TileProblem problem{8192, 8192, 256};
  const auto plan = plan_tiles(problem, std::size_t{10} << 30, h200, HostPages::pinned);
  ASSERT_TRUE(plan);
  const double one_way = 8192.0 * 8192 * 8 * h200.up_byte;
  EXPECT_GT(plan->seconds, one_way);
  EXPECT_LT(plan->seconds, 1.5 * one_way);
}

}  // namespace tile_schedule_test
}  // namespace cuboid::detail
