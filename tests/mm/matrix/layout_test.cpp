#include <cuboid/error.hpp>
#include <cuboid/layout.hpp>

#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace layout_test {

/// Deals the blocks out one by one, as the words of the definition say.
std::vector<std::pair<int, std::int64_t>> deal(const BlockCyclic<Row>& rows) {
  std::vector<std::pair<int, std::int64_t>> owner_and_place;
  std::vector<std::int64_t> held(static_cast<std::size_t>(rows.processes()), 0);
  int owner = rows.source();
  for (std::int64_t i = 0; i < rows.extent(); ++i) {
    if (i > 0 && i % rows.block() == 0) owner = (owner + 1) % rows.processes();
    owner_and_place.emplace_back(owner, held[static_cast<std::size_t>(owner)]++);
  }
  return owner_and_place;
}

TEST(BlockCyclic, agrees_with_dealing_block_by_block) {
  for (const std::int64_t extent : {0, 1, 2, 7, 16, 33, 100}) {
    for (const std::int64_t block : {1, 2, 3, 5, 16, 1000}) {
      for (const int processes : {1, 2, 3, 5}) {
        for (int source = 0; source < processes; ++source) {
          const BlockCyclic<Row> rows(extent, block, processes, source);
          const auto expected = deal(rows);
          std::map<int, std::int64_t> held;
          for (Global<Row> i; i.value < extent; ++i) {
            const auto& [owner, place] = expected[static_cast<std::size_t>(i.value)];
            ASSERT_EQ(rows.owner(i), owner);
            ASSERT_EQ(rows.local(i), Local<Row>(place));
            ASSERT_EQ(rows.global(owner, Local<Row>(place)), i);
            for (int process = 0; process < processes; ++process) {
              ASSERT_EQ(rows.first_local(process, i), Local<Row>(held[process]));
            }
            ++held[owner];
          }
          for (int process = 0; process < processes; ++process) {
            EXPECT_EQ(rows.local_extent(process), held[process]);
          }
        }
      }
    }
  }
}

/// Every index of every slice is where it was.
void expect_slices_to_agree(const BlockCyclic<Row>& whole) {
  for (Global<Row> begin; begin.value <= whole.extent(); begin += 3) {
    for (Global<Row> end = begin; end.value <= whole.extent(); end += 2) {
      const BlockCyclic<Row> part = whole.slice({begin, end});
      ASSERT_EQ(part.extent(), end - begin);
      std::map<int, std::int64_t> held;
      for (Global<Row> i; i.value < part.extent(); ++i) {
        const int owner = part.owner(i);
        ASSERT_EQ(owner, whole.owner(begin + i.value));
        ASSERT_EQ(part.local(i).value,
                  whole.local(begin + i.value) - whole.first_local(owner, begin));
        ASSERT_EQ(part.global(owner, part.local(i)), i);
        ASSERT_EQ(part.run_end(i).value, std::min(whole.run_end(begin + i.value), end) - begin);
        for (int process = 0; process < part.processes(); ++process)
          ASSERT_EQ(part.first_local(process, i).value, held[process]);
        ++held[owner];
      }
      ASSERT_EQ(part.as<Column>().as<Row>(), part);
      const std::int64_t middle = part.extent() / 2;
      const GlobalRange<Row> second_half{Global<Row>(middle), Global<Row>(part.extent())};
      ASSERT_EQ(part.slice(second_half), whole.slice({begin + middle, end}));
    }
  }
}

TEST(BlockCyclic, slices_keep_every_index_where_it_is) {
  for (const std::int64_t block : {1, 3, 5, 40}) {
    expect_slices_to_agree(BlockCyclic<Row>(33, block, 1));
    expect_slices_to_agree(BlockCyclic<Row>(33, block, 3, 2));
  }
  for (const int pieces : {1, 3}) expect_slices_to_agree(BlockCyclic<Row>::even(31, 2, pieces, 4));
  const BlockCyclic<Row> whole(100, 10, 3);
  EXPECT_EQ(whole.slice({Global<Row>(20), Global<Row>(60)}), BlockCyclic<Row>(40, 10, 3, 2));
  EXPECT_EQ(whole.slice({Global<Row>(23), Global<Row>(28)}), BlockCyclic<Row>(5, 10, 3, 2));
  EXPECT_NE(whole.slice({Global<Row>(23), Global<Row>(41)}), BlockCyclic<Row>(18, 10, 3, 2));
  EXPECT_THROW(whole.slice({Global<Row>(20), Global<Row>(101)}), Error);
  EXPECT_THROW(whole.slice({Global<Row>(-1), Global<Row>(1)}), Error);
  EXPECT_THROW(whole.slice({Global<Row>(2), Global<Row>(1)}), Error);
}

TEST(BlockCyclic, runs_are_contiguous_at_one_owner_and_maximal_within_a_block) {
  const BlockCyclic<Column> columns(33, 5, 3, 1);
  for (Global<Column> begin; begin.value < columns.extent();) {
    const Global<Column> end = columns.run_end(begin);
    ASSERT_GT(end, begin);
    for (Global<Column> j = begin; j < end; ++j) {
      EXPECT_EQ(columns.owner(j), columns.owner(begin));
      EXPECT_EQ(columns.local(j) - columns.local(begin), j - begin);
    }
    if (end.value < columns.extent()) {
      EXPECT_NE(columns.owner(end), columns.owner(begin));
    }
    begin = end;
  }
  EXPECT_EQ(BlockCyclic<Column>(33, 5, 1).run_end(Global<Column>(4)), Global<Column>(33));
}

TEST(BlockCyclic, block_distribution_has_one_block_per_process) {
  const auto rows = BlockCyclic<Row>::blocks(10, 4);
  EXPECT_EQ(rows.block(), 3);
  EXPECT_EQ(rows.local_extent(0), 3);
  EXPECT_EQ(rows.local_extent(3), 1);
  const auto few = BlockCyclic<Row>::blocks(5, 4);
  EXPECT_EQ(few.local_extent(2), 1);
  EXPECT_EQ(few.local_extent(3), 0);
  EXPECT_EQ(BlockCyclic<Row>::blocks(0, 4).local_extent(0), 0);
}

TEST(BlockCyclic, counts_in_64_bits) {
  const std::int64_t extent = 5'000'000'000;
  const BlockCyclic<Row> rows(extent, 64, 3);
  const Global<Row> last(extent - 1);
  EXPECT_EQ(rows.global(rows.owner(last), rows.local(last)), last);
  EXPECT_EQ(rows.local_extent(0) + rows.local_extent(1) + rows.local_extent(2), extent);
  // A block size that is "everything" must not overflow.
  const BlockCyclic<Row> whole(extent, INT64_MAX, 3, 2);
  EXPECT_EQ(whole.local_extent(2), extent);
  EXPECT_EQ(whole.local_extent(0), 0);
}

TEST(BlockCyclic, equality_is_of_what_is_owned) {
  EXPECT_EQ(BlockCyclic<Row>(10, 2, 1), BlockCyclic<Row>(10, 3, 1));
  EXPECT_EQ(BlockCyclic<Row>(10, 10, 2), BlockCyclic<Row>(10, 99, 2));
  EXPECT_NE(BlockCyclic<Row>(10, 2, 2), BlockCyclic<Row>(10, 3, 2));
  EXPECT_NE(BlockCyclic<Row>(10, 2, 2, 0), BlockCyclic<Row>(10, 2, 2, 1));
}

TEST(BlockCyclic, refuses_what_makes_no_sense) {
  EXPECT_THROW(BlockCyclic<Row>(-1, 1, 1), Error);
  EXPECT_THROW(BlockCyclic<Row>(1, 0, 1), Error);
  EXPECT_THROW(BlockCyclic<Row>(1, 1, 0), Error);
  EXPECT_THROW(BlockCyclic<Row>(1, 1, 2, 2), Error);
  EXPECT_THROW(BlockCyclic<Row>::blocks(1, 0), Error);
  try {
    BlockCyclic<Row>(8, 2, 4, 7);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "block-cyclic distribution: source process 7: give one from 0 to 3");
  }
}

TEST(BlockCyclic, even_blocks_follow_one_another_and_differ_by_one_at_most) {
  for (const std::int64_t extent : {0, 1, 2, 7, 16, 33, 100}) {
    for (const int parts : {1, 2, 3, 5}) {
      for (const int pieces : {1, 2, 3, 7}) {
        const auto rows = BlockCyclic<Row>::even(extent, parts, pieces);
        Global<Row> next;
        for (int process = 0; process < rows.processes(); ++process) {
          const std::int64_t held = rows.local_extent(process);
          ASSERT_LE(held, rows.block());
          for (Local<Row> local; local.value < held; ++local, ++next) {
            ASSERT_EQ(rows.owner(next), process);
            ASSERT_EQ(rows.local(next), local);
            ASSERT_EQ(rows.global(process, local), next);
            ASSERT_EQ(rows.run_end(next) - next,
                      rows.processes() == 1 ? extent - next.value : held - local.value);
            ASSERT_EQ(rows.first_local(process, next), local);
          }
          if (pieces == 1) {
            EXPECT_GE(held, extent / parts);
            EXPECT_LE(held, extent / parts + 1);
          }
          if (process % pieces == pieces - 1) {
            // Parts end where they do without pieces.
            EXPECT_EQ(next.value, extent * (process / pieces + 1) / parts);
          }
        }
        EXPECT_EQ(next.value, extent);
        EXPECT_EQ(rows.as<Column>().as<Row>(), rows);
      }
    }
  }
}

TEST(BlockCyclic, even_blocks_in_turns_are_pieces_of_every_turn) {
  for (const std::int64_t extent : {0, 1, 2, 7, 16, 33, 100}) {
    for (const int parts : {1, 2, 3}) {
      for (const int pieces : {1, 2, 3, 7}) {
        for (const int cycles : {1, 2, 3, 5}) {
          const auto rows = BlockCyclic<Row>::even(extent, parts, pieces, cycles);
          const auto of_cycles = BlockCyclic<Row>::even(extent, parts, cycles);
          std::vector<std::int64_t> held(static_cast<std::size_t>(rows.processes()));
          for (Global<Row> index; index < rows.all().end; ++index) {
            const int process = rows.owner(index);
            ASSERT_EQ(process / pieces, of_cycles.owner(index) / cycles);
            std::int64_t& before = held[static_cast<std::size_t>(process)];
            ASSERT_EQ(rows.local(index).value, before);
            ASSERT_EQ(rows.global(process, Local<Row>(before)), index);
            ASSERT_EQ(rows.first_local(process, index).value, before);
            ++before;
            // A run ends where another process's begins, or a cycle that is begun anew.
            const Global<Row> end = rows.run_end(index);
            ASSERT_GT(end, index);
            ASSERT_EQ(rows.owner(end - 1), process);
            ASSERT_EQ(rows.local(end - 1) - rows.local(index), end - 1 - index);
          }
          for (int process = 0; process < rows.processes(); ++process) {
            EXPECT_EQ(rows.local_extent(process), held[static_cast<std::size_t>(process)]);
            for (int cycle = 0; cycle < cycles; ++cycle) {
              const int number = process / pieces * cycles + cycle;
              const Global<Row> begin = of_cycles.global(number, Local<Row>(0));
              const GlobalRange<Row> whole{begin, begin + of_cycles.local_extent(number)};
              const std::int64_t share = rows.local_range(process, whole).extent();
              EXPECT_GE(share, whole.extent() / pieces);
              EXPECT_LE(share, whole.extent() / pieces + 1);
            }
          }
          EXPECT_EQ(rows.as<Column>().as<Row>(), rows);
        }
      }
    }
  }
}

TEST(BlockCyclic, even_blocks_are_the_same_where_their_owners_are) {
  EXPECT_EQ(BlockCyclic<Row>::even(12, 2, 3), BlockCyclic<Row>::blocks(12, 6));
  EXPECT_EQ(BlockCyclic<Row>::even(24, 1, 3, 4), BlockCyclic<Row>(24, 2, 3));
  EXPECT_NE(BlockCyclic<Row>::even(24, 1, 3, 4), BlockCyclic<Row>::even(24, 1, 3, 2));
  EXPECT_NE(BlockCyclic<Row>::even(13, 2, 3), BlockCyclic<Row>::blocks(13, 6));
  EXPECT_NE(BlockCyclic<Row>::even(12, 3), BlockCyclic<Row>(12, 4, 3, 1));
  EXPECT_THROW(BlockCyclic<Row>::even(12, 0), Error);
  EXPECT_THROW(BlockCyclic<Row>::even(INT64_MAX, 4), Error);
  EXPECT_THROW(BlockCyclic<Row>::even(12, 2, 3, 0), Error);
  EXPECT_THROW(BlockCyclic<Row>::even(INT64_MAX / 8, 2, 2, 4), Error);
}

TEST(GridShape, listed_ranks_stand_where_the_list_says) {
  const GridShape grid(2, 3, {4, 0, 2, 1, 5, 3});
  EXPECT_EQ(grid.rank({1, 0}), 1);
  EXPECT_EQ(grid.rank({0, 2}), 2);
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(grid.rank(*grid.position(rank)), rank);
  EXPECT_FALSE(grid.position(6));
  EXPECT_EQ(grid.transposed().rank({0, 1}), 1);
  EXPECT_EQ(grid.transposed().transposed(), grid);
  EXPECT_EQ(GridShape(2, 3, {0, 1, 2, 3, 4, 5}), GridShape(2, 3));
  EXPECT_NE(grid, GridShape(2, 3));
  EXPECT_THROW(GridShape(2, 3, {0, 1, 2, 3, 4}), Error);
  EXPECT_THROW(GridShape(2, 3, {0, 1, 2, 3, 4, 4}), Error);
  EXPECT_THROW(GridShape(2, 3, {0, 1, 2, 3, 4, -1}), Error);
  EXPECT_TRUE(grid.is_on_first_ranks());
  const GridShape elsewhere(1, 3, {7, 2, 4});
  EXPECT_FALSE(elsewhere.is_on_first_ranks());
  EXPECT_EQ(elsewhere.last_rank(), 7);
  EXPECT_FALSE(elsewhere.position(3));
  EXPECT_FALSE(elsewhere.position(8));
  EXPECT_EQ(elsewhere.position(4), (GridPosition{0, 2}));
  EXPECT_NE(elsewhere, GridShape(1, 3));
}

TEST(GridShape, numbers_ranks_in_both_orders) {
  const GridShape row_major(2, 3);
  const GridShape column_major(2, 3, GridOrder::column_major);
  EXPECT_EQ(row_major.rank({1, 0}), 3);
  EXPECT_EQ(column_major.rank({1, 0}), 1);
  for (const GridShape& grid : {row_major, column_major}) {
    for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(grid.rank(*grid.position(rank)), rank);
    EXPECT_FALSE(grid.position(6));
    EXPECT_FALSE(grid.position(-1));
  }
  EXPECT_NE(row_major, column_major);
  EXPECT_EQ(GridShape(1, 3), GridShape(1, 3, GridOrder::column_major));
  EXPECT_THROW(GridShape(0, 3), Error);
  EXPECT_THROW(GridShape(65536, 65536), Error);
}

TEST(GridShape, transposing_swaps_every_ranks_row_and_column) {
  const GridShape grid(2, 3);
  const GridShape transposed = grid.transposed();
  EXPECT_EQ(transposed.rows(), 3);
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(transposed.position(rank)->row, grid.position(rank)->column);
    EXPECT_EQ(transposed.position(rank)->column, grid.position(rank)->row);
  }
}

TEST(GridShape, chosen_grids_are_near_square_and_leave_few_ranks_idle) {
  const auto chosen = [](int ranks) {
    const GridShape grid = choose_grid(ranks);
    return std::pair(grid.rows(), grid.columns());
  };
  EXPECT_EQ(chosen(1), std::pair(1, 1));
  EXPECT_EQ(chosen(2), std::pair(1, 2));
  EXPECT_EQ(chosen(5), std::pair(1, 5));
  EXPECT_EQ(chosen(12), std::pair(3, 4));
  EXPECT_EQ(chosen(13), std::pair(3, 4));
  EXPECT_EQ(chosen(16), std::pair(4, 4));
  EXPECT_EQ(chosen(17), std::pair(4, 4));
  for (int ranks = 1; ranks <= 300; ++ranks) {
    const GridShape grid = choose_grid(ranks);
    EXPECT_LE(grid.size(), ranks);
    EXPECT_GE(10 * grid.size(), 9 * ranks);
    EXPECT_LE(grid.rows(), grid.columns());
  }
  EXPECT_THROW(choose_grid(0), Error);
}

TEST(Layout, every_element_has_one_owner_with_room_for_it) {
  const Layout layout = Layout::block_cyclic(13, 10, 3, 2, GridShape(2, 3), {1, 2});
  std::map<int, std::int64_t> elements;
  for (Global<Row> i; i.value < layout.m(); ++i) {
    for (Global<Column> j; j.value < layout.n(); ++j) ++elements[layout.owner(i, j)];
  }
  for (int rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(elements[rank], layout.local_rows(rank) * layout.local_columns(rank)) << rank;
  }
  EXPECT_EQ(layout.owner(Global<Row>(0), Global<Column>(0)), layout.grid().rank({1, 2}));
  EXPECT_EQ(layout.local_rows(6), 0);
}

TEST(Layout, transposed_keeps_owners) {
  const Layout layout = Layout::block_cyclic(13, 10, 3, 2, GridShape(2, 3), {1, 2});
  const Layout transposed = layout.transposed();
  for (Global<Row> i; i.value < layout.m(); ++i) {
    for (Global<Column> j; j.value < layout.n(); ++j) {
      EXPECT_EQ(transposed.owner(j.as<Row>(), i.as<Column>()), layout.owner(i, j));
    }
  }
  EXPECT_EQ(transposed.transposed(), layout);
}

TEST(Layout, equality_and_text) {
  EXPECT_EQ(Layout::single(5, 4), Layout::block_cyclic(5, 4, 2, 2, GridShape(1, 1)));
  EXPECT_NE(Layout::single(5, 4), Layout::single(4, 5));
  EXPECT_EQ(to_string(Layout::block(1000, 800, GridShape(2, 3))),
            "1000x800 in blocks of 500x267 on a 2x3 grid");
  EXPECT_EQ(to_string(Layout::block_cyclic(9, 9, 2, 2, GridShape(2, 3), {1, 0})),
            "9x9 in blocks of 2x2 on a 2x3 grid, first on (1,0)");
  EXPECT_THROW(Layout(BlockCyclic<Row>(4, 2, 2), BlockCyclic<Column>(4, 2, 2), GridShape(2, 1)),
               Error);
}

}  // namespace layout_test
}  // namespace cuboid::detail
