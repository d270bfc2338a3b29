// LU's schedule and interchanges: pure, so that all small cases are tried.

#include <cuboid/layout.hpp>

#include "mm/lu/interchange.hpp"
#include "models/factorisation/panel_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace lu_parts_test {

TEST(PanelSchedule, CountsWhatIsHeldAsTheLayoutDoes) {
  for (const std::int64_t extent : {0, 1, 7, 24, 25}) {
    for (const std::int64_t block : {1, 3, 8, 40}) {
      for (const int processes : {1, 2, 3, 5}) {
        const PanelSchedule schedule(extent, extent, block, processes, processes);
        const BlockCyclic<Row> dealt(extent, block, processes);
        for (int process = 0; process < processes; ++process) {
          for (std::int64_t index = 0; index <= extent; ++index) {
            const auto expected = dealt.first_local(process, Global<Row>(index)).value;
            EXPECT_EQ(schedule.rows_before(process, index), expected);
            EXPECT_EQ(schedule.columns_before(process, index), expected);
          }
        }
      }
    }
  }
}

/// Pieces that follow each other and are a whole.
void expect_cut(const Extent& whole, const std::vector<Extent>& pieces) {
  std::int64_t end = whole.begin;
  for (const Extent& piece : pieces) {
    EXPECT_EQ(piece.begin, end);
    EXPECT_LE(piece.begin, piece.end);
    end = piece.end;
  }
  EXPECT_EQ(end, whole.end);
}

TEST(PanelSchedule, EveryStepIsCutWholeOverTheLayers) {
  for (const std::int64_t m : {0, 1, 5, 17, 30}) {
    for (const std::int64_t n : {0, 1, 6, 17, 31}) {
      for (const std::int64_t block : {1, 2, 5, 64}) {
        for (const int layers : {1, 2, 3, 4}) {
          const PanelSchedule schedule(m, n, block, 3, 2, layers);
          std::int64_t pivots = 0;
          for (std::int64_t index = 0; index < schedule.steps(); ++index) {
            const PanelStep step = schedule.step(index);
            EXPECT_EQ(step.begin, pivots);
            EXPECT_GE(step.width(), 1);
            pivots = step.end;
            std::vector<Extent> slices;
            for (int l = 0; l < layers; ++l) slices.push_back(schedule.slice(step, l));
            expect_cut({0, step.width()}, slices);
            EXPECT_EQ(schedule.step_rows(step).length(), step.width());
            EXPECT_EQ(schedule.step_columns(step).length(), step.width());
            for (int row = 0; row < 3; ++row) {
              std::vector<Extent> pieces;
              for (int l = 0; l < layers; ++l) pieces.push_back(schedule.panel_piece(step, row, l));
              expect_cut(schedule.panel_rows(step, row), pieces);
              if (row == step.row) {
                EXPECT_GE(pieces.front().length(), step.width());
              }
            }
            for (int column = 0; column < 2; ++column) {
              std::vector<Extent> pieces;
              for (int l = 0; l < layers; ++l)
                pieces.push_back(schedule.row_piece(step, column, l));
              expect_cut(schedule.columns_right(step, column), pieces);
            }
          }
          EXPECT_EQ(pivots, std::min(m, n));
        }
      }
    }
  }
}

TEST(Interchange, MovesRowsAsItsSwapsDoOneByOne) {
  std::mt19937_64 generator(1);
  for (int round = 0; round < 500; ++round) {
    const auto rows = static_cast<std::int64_t>(1 + generator() % 12);
    const auto begin = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(rows));
    std::vector<std::int64_t> candidates(static_cast<std::size_t>(rows - begin));
    std::iota(candidates.begin(), candidates.end(), begin);
    std::shuffle(candidates.begin(), candidates.end(), generator);
    candidates.resize(1 + generator() % candidates.size());
    const Interchange interchange(begin, candidates);

    std::vector<std::int64_t> swapped(static_cast<std::size_t>(rows));
    std::iota(swapped.begin(), swapped.end(), 0);
    std::vector<std::int64_t> moved = swapped;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      std::swap(swapped[static_cast<std::size_t>(begin) + k],
                swapped[static_cast<std::size_t>(interchange.swaps()[k])]);
      EXPECT_GE(interchange.swaps()[k], begin + static_cast<std::int64_t>(k));
    }
    for (const RowMove& move : interchange.moves())
      moved[static_cast<std::size_t>(move.to)] = move.from;
    EXPECT_EQ(moved, swapped);
    for (std::size_t k = 0; k < candidates.size(); ++k)
      EXPECT_EQ(moved[static_cast<std::size_t>(begin) + k], candidates[k]);
    EXPECT_LE(interchange.moves().size(), 2 * candidates.size());
    std::vector<std::int64_t> all(static_cast<std::size_t>(begin));
    std::iota(all.begin(), all.end(), 0);
    all.insert(all.end(), interchange.swaps().begin(), interchange.swaps().end());
    EXPECT_EQ(sources_of(all, rows), swapped);
  }
}

}  // namespace lu_parts_test
}  // namespace cuboid::detail
