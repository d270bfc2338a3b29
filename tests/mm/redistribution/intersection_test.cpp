#include "mm/redistribution/intersection.hpp"

#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace {

template <class S, class D>
using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

/// The pairs of local indices that `sender` and `receiver` share, element by element.
template <class S, class D>
Pairs<S, D> expected_pairs(const AxisTransfer<S, D>& transfer, int sender, int receiver,
                           LocalRange<D> window) {
  Pairs<S, D> pairs;
  for (std::int64_t step = 0; step < transfer.range.extent(); ++step) {
    const Global<S> from = transfer.range.begin + step;
    const Global<D> to = transfer.begin + step;
    if (transfer.source.owner(from) != sender) continue;
    if (transfer.destination.owner(to) != receiver) continue;
    const Local<D> place = transfer.destination.local(to);
    if (place < window.begin || place >= window.end) continue;
    pairs.emplace(transfer.source.local(from).value, place.value);
  }
  return pairs;
}

TEST(Intersection, agrees_with_comparing_every_index) {
  std::mt19937 random(20240607);
  const auto draw = [&random](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const auto distribution = [&draw]<class D>(std::int64_t extent, Global<D>) {
    const int processes = static_cast<int>(draw(1, 4));
    return BlockCyclic<D>(extent, draw(1, 12), processes, static_cast<int>(draw(0, processes - 1)));
  };
  for (int trial = 0; trial < 500; ++trial) {
    const std::int64_t length = draw(0, 40);
    const std::int64_t skipped = draw(0, 9);
    const std::int64_t shift = draw(0, 9);
    const AxisTransfer<Row, Column> transfer{
        distribution(skipped + length + draw(0, 5), Global<Row>()),
        distribution(shift + length + draw(0, 5), Global<Column>()),
        {Global<Row>(skipped), Global<Row>(skipped + length)},
        Global<Column>(shift)};
    const std::int64_t window_begin = draw(0, 10);
    const LocalRange<Column> window{Local<Column>(window_begin),
                                    Local<Column>(window_begin + draw(0, 50))};
    for (int sender = 0; sender < transfer.source.processes(); ++sender) {
      for (int receiver = 0; receiver < transfer.destination.processes(); ++receiver) {
        Pairs<Row, Column> pairs;
        Local<Column> last(-1);
        for (const auto& run : intersect(transfer, sender, receiver, window)) {
          ASSERT_GT(run.extent, 0);
          ASSERT_GT(run.destination, last);
          last = run.destination + (run.extent - 1);
          for (std::int64_t step = 0; step < run.extent; ++step) {
            pairs.emplace(run.source.value + step, run.destination.value + step);
          }
        }
        ASSERT_EQ(pairs, expected_pairs(transfer, sender, receiver, window)) << "trial " << trial;
      }
    }
  }
}

TEST(Intersection, equal_block_distributions_share_one_run_per_process) {
  const auto rows = BlockCyclic<Row>::blocks(100, 3);
  const AxisTransfer<Row, Row> transfer{rows, rows, rows.all(), Global<Row>(0)};
  const LocalRange<Row> everything{Local<Row>(0), Local<Row>(100)};
  EXPECT_EQ(intersect(transfer, 1, 1, everything),
            (std::vector<SharedRun<Row, Row>>{{Local<Row>(0), Local<Row>(0), 34}}));
  EXPECT_TRUE(intersect(transfer, 1, 2, everything).empty());
  EXPECT_EQ(extent(intersect(transfer, 2, 2, everything)), 32);
}

}  // namespace
}  // namespace cuboid::detail
