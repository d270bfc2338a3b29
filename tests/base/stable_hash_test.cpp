#include "base/stable_hash.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace stable_hash_test {

TEST(StableHash, HasTheValuesThatItsAuthorsPublished) {
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(stable_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171f73967e8u);
}

}  // namespace stable_hash_test
}  // namespace cuboid::detail
