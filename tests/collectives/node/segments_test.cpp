#include "collectives/node/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace segments_test {

struct alignas(64) Line {
  std::byte bytes[64] = {};
};

struct Memory {
  explicit Memory(const SegmentSizes& sizes)
      : lines((Segments::memory_for(sizes) + sizeof(Line) - 1) / sizeof(Line)),
        segments(reinterpret_cast<std::byte*>(lines.data()), sizes) {}
  std::vector<Line> lines;
  Segments segments;
};

TEST(SegmentSizes, LeaveRoomForFourInTheCache) {
  for (const std::size_t cache : {1, 16 << 10, 32 << 10, 48 << 10, 64 << 10, 128 << 10, 1 << 20}) {
    const SegmentSizes sizes = SegmentSizes::for_cache(cache);
    EXPECT_LE(Segments::memory_for(sizes), (std::size_t{1} << 20) + sizes.count * 64);
    EXPECT_GE(sizes.bytes, 4096u);
    EXPECT_EQ(sizes.bytes & (sizes.bytes - 1), 0u);
    EXPECT_LE(4 * sizes.bytes, std::max<std::size_t>(cache, 4 * 4096));
  }
  EXPECT_EQ(SegmentSizes::for_cache(48 << 10).bytes, 8u << 10);
  EXPECT_EQ(SegmentSizes::for_cache(32 << 10).bytes, 8u << 10);
  EXPECT_GE(first_level_cache(), 8u << 10);
}

TEST(Segments, LieApartInTheirMemory) {
  const SegmentSizes sizes{.bytes = 192, .count = 5};
  const Memory memory(sizes);
  const auto* const begin = reinterpret_cast<const std::byte*>(memory.lines.data());
  for (std::uint32_t number = 0; number < sizes.count; ++number) {
    memory.segments.use(number);
    std::fill_n(memory.segments.data(number), sizes.bytes, std::byte{0xFF});
    EXPECT_EQ(memory.segments.data(number) - begin,
              static_cast<std::ptrdiff_t>(64 * sizes.count + sizes.bytes * number));
  }
  for (std::uint32_t number = 0; number < sizes.count; ++number) {
    EXPECT_TRUE(memory.segments.in_use(number));
    memory.segments.release(number);
    EXPECT_FALSE(memory.segments.in_use(number));
  }
}

TEST(SegmentPool, TakesWhatIsStillInTheCache) {
  const Memory memory({.bytes = 64, .count = 16});
  SegmentPool pool(memory.segments, 2);
  std::set<std::uint32_t> used;
  for (int turn = 0; turn < 100; ++turn) {
    const auto first = pool.take(0);
    const auto second = pool.take(1);
    ASSERT_TRUE(first && second && first != second);
    used.insert({*first, *second});
    memory.segments.release(*first);
    memory.segments.release(*second);
  }
  EXPECT_LE(used.size(), 4u);
}

TEST(SegmentPool, KeepsSomeForTheOthersWhereOneReleasesNothing) {
  const Memory memory({.bytes = 64, .count = 64});
  SegmentPool pool(memory.segments, 5);
  std::uint32_t before = 64;
  for (int reader = 0; reader < 5; ++reader) {
    std::uint32_t taken = 0;
    while (pool.take(reader)) ++taken;
    EXPECT_GE(taken, 1u) << reader;
    EXPECT_LT(taken, before);
    before = taken;
  }
}

TEST(SegmentPool, LendsNoSegmentTwiceAndFindsAllThatAreReleased) {
  std::mt19937 random(48);
  for (const std::uint32_t count : {1u, 2u, 7u, 64u}) {
    const Memory memory({.bytes = 64, .count = count});
    SegmentPool pool(memory.segments, 3);
    std::vector<std::uint32_t> lent;
    std::size_t refused = 0;
    for (int step = 0; step < 20000; ++step) {
      if (random() % 2 == 0) {
        const auto segment = pool.take(static_cast<int>(random() % 3));
        if (!segment) {
          ++refused;
          continue;
        }
        ASSERT_LT(*segment, count);
        ASSERT_EQ(std::ranges::count(lent, *segment), 0);
        lent.push_back(*segment);
      } else if (!lent.empty()) {
        const std::size_t which = random() % lent.size();
        memory.segments.release(lent[which]);
        lent.erase(lent.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    EXPECT_GT(refused, 0u);
    for (const std::uint32_t segment : lent) memory.segments.release(segment);
    const std::uint32_t half = (count + 1) / 2;  // all that one reader may have
    for (std::uint32_t i = 0; i < half; ++i) EXPECT_TRUE(pool.take(0)) << count;
    EXPECT_EQ(pool.take(0).has_value(), false);
  }
}

}  // namespace segments_test
}  // namespace cuboid::detail
