// Sizes that leave their type end at its largest number, not at a small one.

#include "base/saturating.hpp"

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace saturating_test {

TEST(Saturating, KeepsWhatFits) {
  EXPECT_EQ(saturating_sum<std::size_t>(3, 4), 7U);
  EXPECT_EQ(saturating_product<std::int64_t>(std::int64_t{1} << 31, std::int64_t{1} << 31),
            std::int64_t{1} << 62);
}

TEST(Saturating, EndsAtTheLargest) {
  constexpr std::size_t half = std::size_t{1} << 63;
  EXPECT_EQ(saturating_sum(half, half), ~std::size_t{0});
  EXPECT_EQ(saturating_product(half, std::size_t{2}), ~std::size_t{0});
  EXPECT_EQ(saturating_product(1 << 30, 3), std::numeric_limits<int>::max());
}

}  // namespace saturating_test
}  // namespace cuboid::detail
