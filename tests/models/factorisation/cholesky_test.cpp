// Cholesky's schedule, and its cost summed over it.

#include "models/factorisation/cholesky_schedule.hpp"
#include "models/factorisation/factorisation_costs.hpp"
#include "models/multiplication/lower_cover.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace cholesky_test {

LuCommunication cholesky_communication(const CholeskySchedule& schedule) {
  return cholesky_cost(schedule, {}).communication;
}

/// Numbers in the matrix of a process' local rows or columns.
std::int64_t global(std::int64_t local, std::int64_t block, int processes, int process) {
  return (local / block * processes + process) * block + local % block;
}

template <class Check>
void for_schedules(const Check& check) {
  for (const std::int64_t n : {0, 1, 5, 16, 17, 40}) {
    for (const std::int64_t block : {1, 3, 4, 64}) {
      for (const int rows : {1, 2, 3, 4}) {
        for (const int columns : {1, 2, 3, 4, 6})
          check(CholeskySchedule(PanelSchedule(n, n, block, rows, columns)));
      }
    }
  }
}

TEST(CholeskySchedule, SendersTogetherHaveAllRowsThatAGridColumnHasAsColumns) {
  for_schedules([](const CholeskySchedule& schedule) {
    const PanelSchedule& blocks = schedule.blocks();
    for (std::int64_t index = 0; index < blocks.steps(); ++index) {
      const PanelStep step = blocks.step(index);
      for (int column = 0; column < blocks.columns(); ++column) {
        const std::vector<int> senders = schedule.senders(column);
        std::set<std::int64_t> columns;
        for (int row = 0; row < blocks.rows(); ++row) {
          std::int64_t sum = 0;
          schedule.for_shared_blocks(step, row, column, [&](const Extent& own, const Extent& its) {
            ASSERT_EQ(own.length(), its.length());
            for (std::int64_t i = 0; i < own.length(); ++i) {
              EXPECT_EQ(global(own.begin + i, blocks.block(), blocks.rows(), row),
                        global(its.begin + i, blocks.block(), blocks.columns(), column));
              EXPECT_TRUE(columns.insert(its.begin + i).second);
            }
            sum += its.length();
          });
          EXPECT_EQ(schedule.shared_columns(step, row, column), sum);
          const bool sends = std::ranges::count(senders, row) == 1;
          EXPECT_TRUE(sends || sum == 0);
        }
        const Extent right = blocks.columns_right(step, column);
        EXPECT_EQ(std::ssize(columns), right.length());
        if (!columns.empty()) {
          EXPECT_EQ(*columns.begin(), right.begin);
        }
      }
    }
  });
}

TEST(CholeskySchedule, RectanglesCoverTheLowerTriangleOnce) {
  for (const std::int64_t n : {0, 1, 130, 700, 1023}) {
    for (const std::int64_t block : {7, 128, 200}) {
      for (const int rows : {1, 2, 3}) {
        for (const int columns : {1, 2, 5}) {
          const PanelSchedule blocks(n, n, block, rows, columns);
          const CholeskySchedule schedule(blocks);
          for (const std::int64_t index : {std::int64_t{0}, blocks.steps() / 2}) {
            if (index >= blocks.steps()) continue;
            const PanelStep step = blocks.step(index);
            for (int row = 0; row < rows; ++row) {
              const int column = columns - 1;
              const Extent right = blocks.columns_right(step, column);
              std::vector<int> covered(
                  static_cast<std::size_t>(blocks.local_rows(row) * blocks.local_columns(column)));
              for (const LocalRectangle& one : schedule.lower_rectangles(row, column, right)) {
                EXPECT_GE(one.rows.begin, blocks.rows_below(step, row).begin);
                EXPECT_GT(one.rows.length(), 0);
                for (std::int64_t j = one.columns.begin; j < one.columns.end; ++j) {
                  for (std::int64_t i = one.rows.begin; i < one.rows.end; ++i)
                    ++covered[static_cast<std::size_t>(i + j * blocks.local_rows(row))];
                }
              }
              const std::int64_t most_above = std::max(narrow_columns, block) * columns;
              for (std::int64_t j = right.begin; j < right.end; ++j) {
                const std::int64_t its_column = global(j, block, columns, column);
                for (std::int64_t i = 0; i < blocks.local_rows(row); ++i) {
                  const std::int64_t its_row = global(i, block, rows, row);
                  const int times =
                      covered[static_cast<std::size_t>(i + j * blocks.local_rows(row))];
                  ASSERT_LE(times, 1);
                  if (its_row >= its_column) {
                    ASSERT_EQ(times, 1);
                  }
                  if (its_row + most_above < its_column) {
                    ASSERT_EQ(times, 0);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

TEST(CholeskyCosts, ALowerBoundOfSecondsIsCloserTheMoreStepsItSees) {
  const LuRates rates{.network = {1e-5, 1e-9},
                      .ranks_per_core = 2,
                      .seconds_per_collective = 1e-6,
                      .core_seconds_per_byte = 1e-10,
                      .overlap = 0.5};
  for (const std::int64_t n : {0, 1, 100, 3000, 100'003, 3'000'000}) {
    for (const std::int64_t block : {16, 100, 256}) {
      for (const auto& [rows, columns, layers] :
           {std::array{1, 1, 1}, {3, 2, 1}, {1, 7, 4}, {16, 16, 2}, {40, 7, 3}}) {
        const CholeskySchedule schedule(PanelSchedule(n, n, block, rows, columns, layers));
        const double seconds = cholesky_cost(schedule, rates).seconds.total();
        const auto bound = [&](std::int64_t stretches) {
          return cholesky_least_seconds(schedule, rates, stretches);
        };
        constexpr double rounding = 1 + 1e-12;
        EXPECT_LE(bound(1), bound(16) * rounding);
        EXPECT_LE(bound(16), bound(256) * rounding);
        EXPECT_LE(bound(256), seconds * rounding);
        EXPECT_GE(bound(256), 0.98 * seconds);
      }
    }
  }
  LuRates bursting = rates;
  bursting.burst_bytes = 1e6;
  EXPECT_EQ(
      cholesky_least_seconds(CholeskySchedule(PanelSchedule(3000, 3000, 16, 3, 2)), bursting, 16),
      0);
}

TEST(CholeskyCosts, OneRankSendsNothing) {
  const CholeskySchedule alone(PanelSchedule(1000, 1000, 32, 1, 1));
  EXPECT_EQ(cholesky_communication(alone).total().words, 0);
  EXPECT_EQ(cholesky_communication(alone).total().messages, 0);
}

TEST(CholeskyCosts, TwoRanksShareTheLowerTriangle) {
  // Every element of L below the diagonal blocks crosses once; half of them from each rank.
  const double n = 64, block = 8, lower = (n * n - n * block) / 2;
  EXPECT_DOUBLE_EQ(
      cholesky_communication(CholeskySchedule(PanelSchedule(64, 64, 8, 1, 2))).multicast.words,
      lower / 2);
  EXPECT_DOUBLE_EQ(
      cholesky_communication(CholeskySchedule(PanelSchedule(64, 64, 8, 2, 1))).multicast.words,
      lower / 2);
}

TEST(CholeskyCosts, WordsAreThoseOfTheLaw) {
  constexpr std::int64_t n = 1 << 14;
  for (const auto& [side, layers] : {std::pair{16, 1}, {8, 4}}) {
    const PanelSchedule blocks(n, n, 32, side, side, layers);
    const double words = cholesky_communication(CholeskySchedule(blocks)).multicast.words;
    const double law = static_cast<double>(n) * n / std::sqrt(side * side * layers * layers);
    EXPECT_NEAR(words * side / (side - 1), law, 0.01 * law);
    const LuCommunication lu = lu_cost(blocks, LuPivotCost::none, {}).communication;
    const LuCommunication cholesky = cholesky_communication(CholeskySchedule(blocks));
    EXPECT_LT(cholesky.total().words, lu.total().words);
    EXPECT_EQ(cholesky.rows.words, 0);
  }
}

TEST(CholeskyCosts, SendsThreeTimesTheBound) {
  constexpr std::int64_t n = 1 << 14;
  constexpr int side = 16, layers = 4;
  const CholeskySchedule schedule(PanelSchedule(n, n, 32, side, side, layers));
  const double copies = static_cast<double>(n) * n / (side * side);
  const double sent = cholesky_communication(schedule).multicast.words * side / (side - 1);
  EXPECT_NEAR(sent, 3 * cholesky_least_words(n, side * side * layers, copies), 0.01 * sent);
  EXPECT_EQ(cholesky_least_words(n, 1, copies), 0);
}

TEST(CholeskyCosts, TakesHalfOfLusTimeWhereItComputes) {
  const PanelSchedule blocks(16384, 16384, 128, 4, 4);
  const LuRates rates{.network = {1e-6, 1e-11}};
  const double lu = lu_cost(blocks, LuPivotCost::none, rates).seconds.total();
  const double cholesky = cholesky_cost(CholeskySchedule(blocks), rates).seconds.total();
  EXPECT_GT(cholesky, 0.45 * lu);
  EXPECT_LT(cholesky, 0.6 * lu);
}

}  // namespace cholesky_test
}  // namespace cuboid::detail
