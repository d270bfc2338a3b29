// Copies between addresses that string instructions copy slowly, and between others.

#include "base/copy_bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace copy_bytes_test {

TEST(StringCopy, IsSlowJustBeyondTheSourceApartFromPages) {
  constexpr std::uintptr_t source = 0x7000'0010;
  EXPECT_FALSE(string_copy_is_slow(source, source));
  EXPECT_FALSE(string_copy_is_slow(source + 5 * 4096, source));
  for (const std::uintptr_t pages : {0, 1, 1000}) {
    for (const std::uintptr_t beyond : {1, 8, 31}) {
      EXPECT_TRUE(string_copy_is_slow(source + pages * 4096 + beyond, source));
      EXPECT_FALSE(string_copy_is_slow(source, source + pages * 4096 + beyond));
    }
    EXPECT_FALSE(string_copy_is_slow(source + pages * 4096 + 32, source));
  }
}

TEST(CopyBytes, CopiesEveryByteAndNoOther) {
  constexpr std::size_t page = 4096;
  std::vector<unsigned char> source(64 * 1024 + 2 * page);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(1));
  for (const std::size_t bytes : {0, 1, 63, 2047, 2048, 2049, 4096, 5000, 65536}) {
    for (std::size_t beyond = 0; beyond < 34; ++beyond) {
      std::vector<unsigned char> target(source.size() + 3 * page, 0);
      // The target begins `beyond` bytes after the source, but for whole pages.
      const auto apart = reinterpret_cast<std::uintptr_t>(source.data()) -
                         reinterpret_cast<std::uintptr_t>(target.data());
      const std::size_t at = apart % page + beyond + page;
      copy_bytes(target.data() + at, source.data(), bytes);
      std::vector<unsigned char> wanted(target.size(), 0);
      std::copy_n(source.begin(), bytes, wanted.begin() + static_cast<std::ptrdiff_t>(at));
      ASSERT_EQ(target, wanted) << bytes << " bytes, " << beyond << " beyond";
    }
  }
}

TEST(CopyBytes, MovesWhatOverlaps) {
  for (const std::size_t by : {1, 31, 64, 5000}) {
    std::vector<int> values(20000);
    std::iota(values.begin(), values.end(), 0);
    std::vector<int> wanted = values;
    std::copy_backward(values.begin(), values.end() - static_cast<std::ptrdiff_t>(by),
                       wanted.end());
    copy_bytes(values.data() + by, values.data(), (values.size() - by) * sizeof(int));
    EXPECT_EQ(values, wanted) << by;
  }
}

TEST(CopyBytes, NothingMayLieNowhere) {
  copy_bytes(nullptr, nullptr, 0);
}

}  // namespace copy_bytes_test
}  // namespace cuboid::detail
