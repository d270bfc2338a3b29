#include "mm/redistribution/exchange_steps.hpp"

#include "tests/mm/random_case.hpp"

#include <map>

namespace cuboid::detail {
namespace {

using test::CaseSource;

/// Elements that the busiest rank sends and receives in the busiest step, by looking at each
/// element.
std::pair<std::int64_t, std::int64_t> busiest(const Layout& from, const Layout& to,
                                              const ExchangeSteps& steps) {
  using Step = std::pair<std::int64_t, std::int64_t>;
  std::map<std::pair<Step, int>, std::int64_t> sent, received;
  for (Global<Row> i; i.value < to.m(); ++i) {
    for (Global<Column> j; j.value < to.n(); ++j) {
      const Step step{(to.rows().local(i) - steps.rows.begin) / steps.window_rows,
                      (to.columns().local(j) - steps.columns.begin) / steps.window_columns};
      ++sent[{step, from.owner(i, j)}];
      ++received[{step, to.owner(i, j)}];
    }
  }
  const auto most = [](const auto& counts) {
    std::int64_t largest = 0;
    for (const auto& [key, count] : counts) largest = std::max(largest, count);
    return largest;
  };
  return {most(sent), most(received)};
}

TEST(ExchangeSteps, keep_within_the_limit) {
  CaseSource draw(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t m = draw.between(1, 40), n = draw.between(1, 40);
    const Layout from = draw.layout(m, n, draw.grid(6));
    const Layout to = draw.layout(m, n, draw.grid(6));
    const AxisTransfer<Row, Row> rows{from.rows(), to.rows(), from.rows().all(), Global<Row>(0)};
    const AxisTransfer<Column, Column> columns{from.columns(), to.columns(), from.columns().all(),
                                               Global<Column>(0)};
    const std::int64_t limit = draw.between(6, 800);
    const ExchangeSteps steps = exchange_steps(rows, columns, limit);
    const auto [sent, received] = busiest(from, to, steps);
    EXPECT_LE(sent, limit) << to_string(from) << " -> " << to_string(to);
    EXPECT_LE(received, limit) << to_string(from) << " -> " << to_string(to);
  }
}

TEST(ExchangeSteps, take_one_step_where_all_fits) {
  const auto distribution = BlockCyclic<Row>::blocks(100, 4);
  const AxisTransfer<Row, Row> rows{distribution, distribution, distribution.all(), Global<Row>(0)};
  const AxisTransfer<Column, Column> columns{distribution.as<Column>(), distribution.as<Column>(),
                                             distribution.all().as<Column>(), Global<Column>(0)};
  const ExchangeSteps steps = exchange_steps(rows, columns, 625);
  EXPECT_EQ(steps.window_rows, 25);
  EXPECT_EQ(steps.window_columns, 25);
  EXPECT_LT(exchange_steps(rows, columns, 624).window_columns, 25);
}

}  // namespace
}  // namespace cuboid::detail
