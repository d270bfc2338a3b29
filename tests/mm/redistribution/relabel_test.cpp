#include <cuboid/redistribute.hpp>

#include "tests/mm/random_case.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

using test::CaseSource;

/// Elements that have the same owner in both.
std::int64_t staying(const Layout& source, Op op, const Layout& destination) {
  std::int64_t elements = 0;
  for (Global<Row> i; i.value < destination.m(); ++i) {
    for (Global<Column> j; j.value < destination.n(); ++j) {
      const int owner =
          op == Op::none ? source.owner(i, j) : source.owner(j.as<Row>(), i.as<Column>());
      elements += owner == destination.owner(i, j) ? 1 : 0;
    }
  }
  return elements;
}

/// What the best assignment of ranks keeps.
std::int64_t most_staying(const Layout& source, Op op, const Layout& destination) {
  const GridShape& grid = destination.grid();
  std::vector<int> ranks(static_cast<std::size_t>(grid.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::int64_t most = 0;
  do {
    const Layout permuted(destination.rows(), destination.columns(),
                          GridShape(grid.rows(), grid.columns(), ranks));
    most = std::max(most, staying(source, op, permuted));
  } while (std::ranges::next_permutation(ranks).found);
  return most;
}

TEST(Relabelled, keeps_at_least_half_of_what_can_be_kept) {
  CaseSource draw(9);
  for (int trial = 0; trial < 100; ++trial) {
    const Op op = draw.op();
    const std::int64_t m = draw.between(0, 12), n = draw.between(0, 12);
    const int ranks = static_cast<int>(draw.between(1, 5));
    const Layout source =
        op == Op::none ? draw.layout(m, n, draw.grid(ranks)) : draw.layout(n, m, draw.grid(ranks));
    const Layout destination = draw.layout(m, n, draw.grid(ranks));
    const std::int64_t kept = staying(source, op, relabelled(source, op, destination));
    EXPECT_GE(kept, staying(source, op, destination));
    EXPECT_GE(2 * kept, most_staying(source, op, destination))
        << to_string(source) << " -> " << to_string(destination);
  }
}

TEST(Relabelled, finds_blocks_that_only_have_other_ranks) {
  const Layout source = Layout::block(12, 12, GridShape(2, 3, {4, 0, 2, 1, 5, 3}));
  EXPECT_EQ(relabelled(source, Op::none, Layout::block(12, 12, GridShape(2, 3))), source);
  EXPECT_EQ(relabelled(source, Op::transpose, Layout::block(12, 12, GridShape(3, 2))),
            source.transposed());
}

}  // namespace
}  // namespace cuboid::detail
