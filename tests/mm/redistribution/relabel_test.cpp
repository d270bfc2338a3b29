#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/redistribute.hpp>

#include "mm/matrix/random_element.hpp"
#include "tests/mm/redistribution/any_matrix.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace relabel_test {

using test::CaseSource;

/// The ranks that store an element.
std::vector<int> owners_of(const AnyLayout& layout, std::int64_t i, std::int64_t j) {
  if (const auto* const regular = std::get_if<Layout>(&layout))
    return {regular->owner(Global<Row>(i), Global<Column>(j))};
  const auto& irregular = std::get<IrregularLayout>(layout);
  const auto block_with = [](std::span<const std::int64_t> cuts, std::int64_t index) {
    return static_cast<int>(std::ranges::upper_bound(cuts, index) - cuts.begin()) - 1;
  };
  const auto owners = irregular.owners(
      {block_with(irregular.row_cuts(), i), block_with(irregular.column_cuts(), j)});
  return {owners.begin(), owners.end()};
}

/// The elements that a rank of the destination takes from itself.
std::int64_t staying(const AnyLayout& source, Op op, const AnyLayout& destination, std::int64_t m,
                     std::int64_t n) {
  std::int64_t elements = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto before = op == Op::none ? owners_of(source, i, j) : owners_of(source, j, i);
      for (const int rank : owners_of(destination, i, j))
        elements += std::ranges::count(before, rank);
    }
  }
  return elements;
}

using NewRanks = std::map<int, int>;  // by rank

Layout with_ranks(const Layout& layout, NewRanks ranks) {
  const GridShape& grid = layout.grid();
  std::vector<int> listed;
  for (int row = 0; row < grid.rows(); ++row) {
    for (int column = 0; column < grid.columns(); ++column)
      listed.push_back(ranks[grid.rank({row, column})]);
  }
  return {layout.rows(), layout.columns(), GridShape(grid.rows(), grid.columns(), listed)};
}

IrregularLayout with_ranks(const IrregularLayout& layout, NewRanks ranks) {
  return {
      {layout.row_cuts().begin(), layout.row_cuts().end()},
      {layout.column_cuts().begin(), layout.column_cuts().end()},
      std::function<std::vector<int>(IrregularLayout::Place)>([&](IrregularLayout::Place place) {
        std::vector<int> listed;
        for (const int rank : layout.owners(place)) listed.push_back(ranks[rank]);
        return listed;
      })};
}

std::vector<int> ranks_of(const Layout& layout) {
  std::vector<int> ranks;
  for (int rank = 0; rank <= layout.grid().last_rank(); ++rank) {
    if (layout.grid().position(rank)) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> ranks_of(const IrregularLayout& layout) {
  std::set<int> ranks;
  for (int row = 0; row < layout.row_blocks(); ++row) {
    for (int column = 0; column < layout.column_blocks(); ++column) {
      const auto owners = layout.owners({row, column});
      ranks.insert(owners.begin(), owners.end());
    }
  }
  return {ranks.begin(), ranks.end()};
}

NewRanks exchanged(const std::vector<int>& ranks, const std::vector<int>& others) {
  NewRanks mapped;
  for (std::size_t number = 0; number < ranks.size(); ++number)
    mapped[ranks[number]] = others[number];
  return mapped;
}

AnyLayout any_layout(CaseSource& draw, std::int64_t m, std::int64_t n, int ranks) {
  if (draw.between(0, 1) == 0) return draw.layout(m, n, test::any_grid_of(draw, ranks));
  return test::any_irregular_layout(draw, m, n, ranks);
}

/// Half of what the best of all assignments keeps, and not less than without.
template <class SomeLayout>
void expect_enough_kept(const AnyLayout& source, Op op, const SomeLayout& destination,
                        std::int64_t m, std::int64_t n) {
  const SomeLayout better = relabelled(source, op, destination);
  const std::vector<int> ranks = ranks_of(destination);
  EXPECT_EQ(ranks_of(better), ranks);
  const std::int64_t kept = staying(source, op, better, m, n);
  EXPECT_GE(kept, staying(source, op, destination, m, n));
  std::vector<int> permuted = ranks;
  do {
    const auto another = with_ranks(destination, exchanged(ranks, permuted));
    ASSERT_GE(2 * kept, staying(source, op, another, m, n));
  } while (std::ranges::next_permutation(permuted).found);
}

TEST(Relabelled, keeps_at_least_half_of_what_can_be_kept) {
  CaseSource draw(9);
  for (int trial = 0; trial < 200; ++trial) {
    const Op op = draw.op();
    const std::int64_t m = draw.between(0, 12), n = draw.between(0, 12);
    const int ranks = static_cast<int>(draw.between(1, 5));
    const AnyLayout source =
        op == Op::none ? any_layout(draw, m, n, ranks) : any_layout(draw, n, m, ranks);
    std::visit([&](const auto& layout) { expect_enough_kept(source, op, layout, m, n); },
               any_layout(draw, m, n, ranks));
  }
}

TEST(Relabelled, finds_blocks_that_only_have_other_ranks) {
  const Layout source = Layout::block(12, 12, GridShape(2, 3, {4, 0, 2, 1, 5, 3}));
  EXPECT_EQ(relabelled(source, Op::none, Layout::block(12, 12, GridShape(2, 3))), source);
  EXPECT_EQ(relabelled(source, Op::transpose, Layout::block(12, 12, GridShape(3, 2))),
            source.transposed());

  CaseSource draw(10);
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t m = draw.between(1, 12), n = draw.between(1, 12);
    const IrregularLayout blocks =
        test::any_irregular_layout(draw, m, n, static_cast<int>(draw.between(1, 9)));
    const std::vector<int> ranks = ranks_of(blocks);
    std::vector<int> rotated = ranks;
    std::ranges::rotate(rotated, rotated.begin() + draw.between(0, std::ssize(ranks) - 1));
    const auto destination = with_ranks(blocks, exchanged(ranks, rotated));
    EXPECT_EQ(staying(blocks, Op::none, relabelled(blocks, Op::none, destination), m, n),
              staying(blocks, Op::none, blocks, m, n));
  }
}

TEST(Relabelled, a_matrix_in_relabelled_blocks_is_right_and_did_not_travel) {
  run_ranks(6, [](Communicator& communicator) {
    const auto owner = [&](int further) {
      return std::function<int(IrregularLayout::Place)>([further](IrregularLayout::Place place) {
        return (5 * place.row + place.column + further) % 6;
      });
    };
    const std::vector<std::int64_t> rows{0, 1, 20, 33, 60}, columns{0, 17, 18, 40};
    IrregularMatrix<double> source(communicator, {rows, columns, owner(0)});
    const IrregularLayout wanted(rows, columns, owner(2));
    IrregularMatrix<double> destination(communicator,
                                        relabelled(source.layout(), Op::none, wanted));
    const auto value = [](std::int64_t i, std::int64_t j) {
      return static_cast<double>(100 * i + j);
    };
    const auto for_each = [](auto& matrix, const auto& visit) {
      for (std::size_t number = 0; number < matrix.blocks().size(); ++number) {
        const BlockRange range = matrix.layout().block(matrix.places()[number]);
        const LocalView<double>& block = matrix.blocks()[number];
        for (std::int64_t j = 0; j < block.columns; ++j) {
          for (std::int64_t i = 0; i < block.rows; ++i)
            visit(range.rows.begin.value + i, range.columns.begin.value + j, block(i, j));
        }
      }
    };
    for_each(source, [&](auto i, auto j, double& element) { element = value(i, j); });
    const Traffic before = communicator.traffic();
    redistribute(1.0, source, 0.0, destination);
    EXPECT_EQ((communicator.traffic() - before).bytes_sent, 0u);
    for_each(destination, [&](auto i, auto j, double element) { EXPECT_EQ(element, value(i, j)); });
  });
}

TEST(Relabelled, large_worlds_that_share_little) {
  // Strips, each on one rank, and the same strips moved by a few rows and dealt out backwards.
  constexpr int ranks = 20'000;
  constexpr std::int64_t strip = 10, moved = 3;
  std::vector<std::int64_t> cuts{0}, moved_cuts{0};
  for (int rank = 0; rank < ranks; ++rank) {
    cuts.push_back(cuts.back() + strip);
    moved_cuts.push_back(rank + 1 < ranks ? cuts.back() + moved : cuts.back());
  }
  using Owner = std::function<int(IrregularLayout::Place)>;
  const IrregularLayout source(cuts, {0, 1}, Owner([](auto place) { return place.row; }));
  const IrregularLayout destination(moved_cuts, {0, 1},
                                    Owner([](auto place) { return ranks - 1 - place.row; }));
  const IrregularLayout better = relabelled(source, Op::none, destination);
  int kept = 0;
  for (int row = 0; row < ranks; ++row) kept += better.owners({row, 0}).front() == row ? 1 : 0;
  EXPECT_EQ(kept, ranks);
}

TEST(Relabelled, refuses_other_shapes) {
  try {
    relabelled(Layout::block(4, 6, GridShape(1, 2)), Op::transpose,
               Layout::block(4, 6, GridShape(1, 2)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(),
                 "relabelled: 6x4 op(source), 4x6 destination: give layouts of the same shape");
  }
}

}  // namespace relabel_test
}  // namespace cuboid::detail
