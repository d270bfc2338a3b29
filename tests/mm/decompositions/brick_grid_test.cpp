#include "mm/decompositions/brick_grid.hpp"

#include <cuboid/error.hpp>

#include "mm/decompositions/carma_decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace brick_grid_test {

constexpr auto rows = WorkAxis::rows;
constexpr auto columns = WorkAxis::columns;
constexpr auto inner = WorkAxis::inner;

/// Grids of all kinds: none, one, three splits, the same axis split again and again.
std::vector<std::vector<Split>> split_lists() {
  return {{},
          {{inner, 5}},
          {{rows, 2}, {columns, 3}},
          {{columns, 2}, {inner, 3}, {rows, 2}},
          {{rows, 2}, {columns, 2}, {inner, 2}, {rows, 2}},
          {{columns, 3}, {inner, 2}, {columns, 2}, {inner, 2}},
          {{inner, 2}, {inner, 2}, {inner, 3}}};
}

std::vector<ProductSize> sizes() {
  return {{12, 12, 24}, {7, 10, 13}, {1, 2, 30}, {17, 1, 3}, {0, 4, 5}, {5, 6, 0}};
}

/// Elements of a matrix in `layout` that lie in a block and belong to a rank.
template <class RowRange, class ColumnRange>
std::int64_t owned(const Layout& layout, int rank, const RowRange& block_rows,
                   const ColumnRange& block_columns) {
  std::int64_t count = 0;
  for (std::int64_t i = block_rows.begin.value; i < block_rows.end.value; ++i) {
    for (std::int64_t j = block_columns.begin.value; j < block_columns.end.value; ++j) {
      count += layout.owner(Global<Row>(i), Global<Column>(j)) == rank ? 1 : 0;
    }
  }
  return count;
}

TEST(BrickGrid, every_rank_has_a_place_of_its_own_and_bricks_cover_the_work) {
  for (const ProductSize& size : sizes()) {
    for (const auto& splits : split_lists()) {
      const BrickGrid grid(size, splits);
      std::set<std::tuple<int, int, int>> places;
      double work = 0;
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        const BrickPosition at = *grid.position(rank);
        places.insert({at.row, at.column, at.layer});
        work += grid.brick(at).work();
      }
      EXPECT_EQ(places.size(), static_cast<std::size_t>(grid.ranks()));
      EXPECT_EQ(work, static_cast<double>(size.m * size.n * size.k)) << to_string(grid);
      EXPECT_FALSE(grid.position(grid.ranks()));
      EXPECT_FALSE(grid.position(-1));
    }
  }
}

TEST(BrickGrid, ranks_own_what_they_need_and_receive_the_rest) {
  for (const ProductSize& size : sizes()) {
    for (const auto& splits : split_lists()) {
      const BrickGrid grid(size, splits);
      const Layout A = grid.a_layout(), B = grid.b_layout(), C = grid.c_layout();
      for (int rank = 0; rank < grid.ranks(); ++rank) {
        const Brick brick = grid.brick(*grid.position(rank));
        const std::int64_t own_a = owned(A, rank, brick.rows, brick.inner);
        const std::int64_t own_b = owned(B, rank, brick.inner, brick.columns);
        const std::int64_t own_c = owned(C, rank, brick.rows, brick.columns);
        // Nothing of what a rank owns lies outside its brick.
        EXPECT_EQ(own_a, A.local_rows(rank) * A.local_columns(rank));
        EXPECT_EQ(own_b, B.local_rows(rank) * B.local_columns(rank));
        EXPECT_EQ(own_c, C.local_rows(rank) * C.local_columns(rank));
        const std::int64_t lacking = brick.rows.extent() * brick.inner.extent() - own_a +
                                     brick.inner.extent() * brick.columns.extent() - own_b;
        const double sums = grid.cost(rank).words_received - static_cast<double>(lacking);
        // Of C what the other layers add to a rank's own, or to a piece of the face that is equal
        // for all, whichever is more even.
        const std::int64_t layers = grid.parts(inner);
        const bool in_columns = grid.cut(inner) == columns;
        const std::int64_t lines = in_columns ? brick.columns.extent() : brick.rows.extent();
        const std::int64_t length = in_columns ? brick.rows.extent() : brick.columns.extent();
        const std::int64_t equal =
            (layers - 1) * brick.rows.extent() * brick.columns.extent() / layers;
        EXPECT_LE(std::abs(sums - static_cast<double>(equal)),
                  static_cast<double>((layers - 1) * length))
            << to_string(grid);
        if (lines % layers == 0) {
          EXPECT_EQ(sums, static_cast<double>((layers - 1) * own_c)) << to_string(grid);
        }
      }
    }
  }
}

TEST(BrickGrid, no_rank_is_busier_than_the_busiest) {
  for (const ProductSize& size : sizes()) {
    for (const auto& splits : split_lists()) {
      const BrickGrid grid(size, splits);
      for (const BrickSteps& steps : {BrickSteps{}, BrickSteps{3, 2, 1}, BrickSteps{1, 2, 3}}) {
        BrickCost most;
        for (int rank = 0; rank < grid.ranks(); ++rank) {
          const BrickCost one = grid.cost(rank, steps);
          most.work = std::max(most.work, one.work);
          most.words_received = std::max(most.words_received, one.words_received);
          most.messages = std::max(most.messages, one.messages);
        }
        const BrickCost busiest = grid.busiest(steps);
        EXPECT_EQ(busiest.work, most.work) << to_string(grid);
        EXPECT_EQ(busiest.words_received, most.words_received) << to_string(grid) << " " << size.n;
        EXPECT_GE(busiest.messages, most.messages) << to_string(grid);
      }
    }
  }
}

TEST(BrickGrid, more_layers_than_columns_share_the_sums) {
  // Every rank sums 4 of 1024 elements of 256 layers, and the owner of a column gets its other 28.
  const BrickGrid grid({32, 32, 8192}, {{inner, 256}});
  EXPECT_EQ(grid.busiest().words_received, 255 * 4 + 28);
}

TEST(BrickGrid, ranks_that_differ_in_a_split_own_neighbouring_shares) {
  const BrickGrid grid({8, 60, 60}, {{columns, 3}, {inner, 2}, {columns, 2}, {rows, 2}});
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    // After the exchange at a split, a rank holds the shares of all its parts: they must be a run.
    int run = 1;
    for (std::size_t split = 0; split < grid.splits().size(); ++split) {
      if (grid.splits()[split].along != columns) continue;
      const int first = grid.share(rank, columns) / run * run;
      EXPECT_EQ(first / run % grid.splits()[split].parts, grid.digit(rank, split));
      run *= grid.splits()[split].parts;
    }
    EXPECT_EQ(run, grid.parts(columns));
  }
}

TEST(BrickGrid, refuses_what_makes_no_sense) {
  EXPECT_THROW(BrickGrid({-1, 2, 3}, {}), Error);
  EXPECT_THROW(BrickGrid({1, 2, 3}, {{rows, 0}}), Error);
  EXPECT_THROW(BrickGrid({1, 2, 3}, {{rows, 65536}, {inner, 65536}}), Error);
}

TEST(Carma, splits_the_largest_extent_again_and_again) {
  EXPECT_EQ(decompose_for_carma({64, 64, 64}, 8).splits(),
            (std::vector<Split>{{columns, 2}, {rows, 2}, {inner, 2}}));
  EXPECT_EQ(decompose_for_carma({10, 10, 1000}, 12).splits(),
            (std::vector<Split>{{inner, 3}, {inner, 2}, {inner, 2}}));
  EXPECT_EQ(decompose_for_carma({1000, 400, 10}, 6).splits(),
            (std::vector<Split>{{rows, 3}, {columns, 2}}));
  for (int ranks = 1; ranks <= 200; ++ranks) {
    EXPECT_EQ(decompose_for_carma({1000, 900, 800}, ranks).ranks(), ranks);
  }
  EXPECT_THROW(decompose_for_carma({1, 1, 1}, 0), Error);
}

TEST(Carma, splits_of_a_grid_are_cut_into_prime_ones) {
  const BrickGrid grid({64, 64, 64}, {{columns, 4}, {inner, 6}, {rows, 1}});
  const BrickGrid cut = in_prime_splits(grid);
  EXPECT_EQ(cut.splits(), (std::vector<Split>{{columns, 2}, {columns, 2}, {inner, 3}, {inner, 2}}));
  for (int rank = 0; rank < grid.ranks(); ++rank)
    EXPECT_EQ(cut.position(rank), grid.position(rank));
  // As many words in fewer messages: 1 + 1 instead of 3, 2 + 1 instead of 5 and what is passed on.
  EXPECT_LE(cut.busiest().words_received, grid.busiest().words_received);
  EXPECT_EQ(cut.busiest().messages, 2 + 3);
}

TEST(Carma, halving_leaves_no_side_more_than_twice_another) {
  for (const int ranks : {8, 64, 512, 4096}) {
    const BrickGrid grid = decompose_for_carma({3000, 4000, 5000}, ranks);
    const Brick brick = grid.brick({});
    const double sides[] = {static_cast<double>(brick.rows.extent()),
                            static_cast<double>(brick.columns.extent()),
                            static_cast<double>(brick.inner.extent())};
    EXPECT_LE(*std::max_element(sides, sides + 3), 2.01 * *std::min_element(sides, sides + 3));
  }
}

}  // namespace brick_grid_test
}  // namespace cuboid::detail
