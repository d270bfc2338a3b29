#include "collectives/types/tag.hpp"

#include <bit>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace tag_test {

struct Field {
  const char* name;
  std::uint32_t Tag::*value;
  int bits;
};
constexpr Field fields[] = {{"context", &Tag::context, Tag::context_bits},
                            {"sequence", &Tag::sequence, Tag::sequence_bits},
                            {"sender", &Tag::sender, Tag::sender_bits},
                            {"channel", &Tag::channel, Tag::channel_bits},
                            {"segment", &Tag::segment, Tag::segment_bits}};

std::uint64_t packed(const Field& field, std::uint32_t value) {
  Tag tag;
  tag.*(field.value) = value;
  return tag.packed();
}

TEST(Tag, EveryFieldHasBitsOfItsOwn) {
  std::uint64_t all = 0;
  for (const Field& field : fields) {
    const std::uint64_t bits = packed(field, ~std::uint32_t{0});
    EXPECT_EQ(std::popcount(bits), field.bits) << field.name;
    EXPECT_EQ(all & bits, 0U) << field.name;
    all |= bits;
  }
  EXPECT_EQ(all, ~std::uint64_t{0});
}

TEST(Tag, EveryBitOfAFieldTells) {
  std::set<std::uint64_t> tags = {Tag{}.packed()};
  for (const Field& field : fields) {
    for (int bit = 0; bit < field.bits; ++bit)
      EXPECT_TRUE(tags.insert(packed(field, 1u << bit)).second) << field.name << " bit " << bit;
  }
}

TEST(Tag, FieldsAreIndependent) {
  const Tag tag{.context = 5, .sequence = 77, .sender = 70000, .channel = 300, .segment = 200};
  std::uint64_t sum = 0;
  for (const Field& field : fields) sum |= packed(field, tag.*(field.value));
  EXPECT_EQ(tag.packed(), sum);
}

TEST(Tag, NarrowFieldsWrapWithoutTouchingOthers) {
  for (const Field& field : fields) {
    const std::uint32_t beyond = (std::uint32_t{1} << field.bits) + 3;
    EXPECT_EQ(packed(field, beyond), packed(field, 3)) << field.name;
  }
}

}  // namespace tag_test
}  // namespace cuboid::detail
