#include "collectives/transport/group.hpp"

#include <cuboid/error.hpp>

#include "collectives/types/tag.hpp"

#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace group_test {

std::uint32_t next_number(ContextNumbers& numbers) {
  return ContextNumbers::lowest(numbers.free_mask());
}

TEST(ContextNumbers, AllAreFreeAndFitATag) {
  ContextNumbers numbers;
  for (std::uint32_t expected = 0; expected < Tag::max_contexts; ++expected) {
    ASSERT_EQ(next_number(numbers), expected);
    numbers.take(expected);
  }
  EXPECT_THROW(next_number(numbers), Error);
}

TEST(ContextNumbers, RunOutWithAClearMessage) {
  try {
    ContextNumbers::lowest({0, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("destroy some"), std::string::npos);
  }
}

TEST(ContextNumbers, WhatIsGivenBackIsUsedAgain) {
  ContextNumbers numbers;
  for (std::uint32_t number = 0; number < 200; ++number) numbers.take(number);
  for (const std::uint32_t number : {130u, 64u, 63u}) {
    numbers.give_back(number);
    EXPECT_EQ(next_number(numbers), number);
  }
}

TEST(ContextNumbers, RanksAgreeOnOneThatIsFreeForAll) {
  ContextNumbers here;
  ContextNumbers there;
  for (const std::uint32_t number : {0u, 1u, 65u}) here.take(number);
  for (std::uint32_t number = 2; number < 65; ++number) there.take(number);
  auto both = here.free_mask();
  for (std::size_t word = 0; word < both.size(); ++word) both[word] &= there.free_mask()[word];
  EXPECT_EQ(ContextNumbers::lowest(both), 66U);
}

TEST(Group, HoldsItsNumberAsLongAsItLives) {
  const auto numbers = std::make_shared<ContextNumbers>();
  std::optional<Group> first(std::in_place, numbers, 0, std::vector{4, 2, 7}, 1);
  const Group second(numbers, 1, std::vector{2}, 0);
  EXPECT_EQ(next_number(*numbers), 2U);
  EXPECT_EQ(first->size(), 3);
  EXPECT_EQ(first->rank(), 1);
  EXPECT_EQ(first->world_rank(2), 7);
  first.reset();
  EXPECT_EQ(next_number(*numbers), 0U);
}

TEST(Group, RemembersTheFirstReasonItBroke) {
  Group group(std::make_shared<ContextNumbers>(), 0, {0}, 0);
  EXPECT_TRUE(group.broken().empty());
  group.break_off("first");
  group.break_off("second");
  EXPECT_EQ(group.broken(), "first");
}

}  // namespace group_test
}  // namespace cuboid::detail
