// The table of multiplications, which the planner, the command line and multiply() all read.

#include "mm/multiply/multiplication_table.hpp"

#include <cuboid/error.hpp>
#include <cuboid/multiply.hpp>

#include <set>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace multiplication_table_test {

TEST(MultiplicationTable, has_each_algorithm_once_in_the_order_of_the_enumeration) {
  int last = static_cast<int>(MultiplicationAlgorithm::automatic);
  std::set<std::string_view> names;
  for (const MultiplicationEntry& entry : multiplication_table()) {
    EXPECT_EQ(static_cast<int>(entry.algorithm), ++last) << entry.name;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(&entry_of(entry.algorithm), &entry);
    EXPECT_EQ(to_string(entry.algorithm), entry.name);
    EXPECT_EQ(parse_multiplication_algorithm(entry.name), entry.algorithm);
  }
  EXPECT_THROW(entry_of(MultiplicationAlgorithm::automatic), Error);
}

TEST(MultiplicationTable, an_entry_accepts_the_options_that_it_lists) {
  const MultiplicationEntry& summa = entry_of(MultiplicationAlgorithm::summa);
  EXPECT_TRUE(summa.accepts_all({}));
  EXPECT_TRUE(summa.accepts_all({.grid = GridShape(2, 3), .panel_width = 8}));
  EXPECT_FALSE(summa.accepts_all({.grid = GridShape(2, 3), .layers = 2}));
  EXPECT_FALSE(summa.accepts_all({.sides = Sidedness::one_sided}));
  EXPECT_TRUE(summa.accepts_all({.memory_limit = 1000}));  // all keep to it
}

TEST(MultiplicationTable, candidates_are_of_their_own_algorithm_and_have_layouts_of_the_product) {
  const PlanRequest request{.size = {60, 50, 70}, .ranks = 12};
  const Rates rates;
  for (const MultiplicationEntry& entry : multiplication_table()) {
    Planning planning(request, rates);
    entry.add_candidates(planning);
    const auto candidates = std::move(planning).sorted();
    EXPECT_FALSE(candidates.empty()) << entry.name;
    for (const PlanCandidate& candidate : candidates) {
      EXPECT_EQ(candidate.algorithm, entry.algorithm);
      const ProductLayouts product =
          entry.layouts(request.size, Op::transpose, Op::none, candidate);
      EXPECT_EQ(product.size(), request.size) << entry.name;
      EXPECT_EQ(product.A.m(), request.size.k) << entry.name;  // stored transposed
    }
  }
}

}  // namespace multiplication_table_test
}  // namespace cuboid::detail
