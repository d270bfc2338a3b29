#include "mm/redistribution/axis_runs.hpp"

#include "tests/mm/random_case.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace axis_runs_test {

using test::CaseSource;

/// Where an index is, by definition.
struct Spot {
  int index_class;
  std::int64_t local;
};

Spot spot_of(const AxisDistribution& axis, std::int64_t index) {
  if (const auto* const cyclic = std::get_if<BlockCyclic<Row>>(&axis)) {
    return {cyclic->owner(Global<Row>(index)), cyclic->local(Global<Row>(index)).value};
  }
  const auto cuts = std::get<std::span<const std::int64_t>>(axis);
  const auto after = std::ranges::upper_bound(cuts, index);
  return {static_cast<int>(after - cuts.begin()) - 1, index - *(after - 1)};
}

/// A slice of any distribution, or any cuts (which `memory` keeps).
AxisDistribution any_axis(CaseSource& draw, std::int64_t extent,
                          std::vector<std::int64_t>& memory) {
  if (draw.between(0, 3) == 0) {
    memory = {0, extent, draw.between(0, extent), draw.between(0, extent)};
    std::ranges::sort(memory);
    return std::span<const std::int64_t>(memory);
  }
  const std::int64_t before = draw.between(0, 7);
  const GridShape line(static_cast<int>(draw.between(1, 5)), 1);
  return draw.layout(before + extent + 2, 1, line)
      .rows()
      .slice({Global<Row>(before), Global<Row>(before + extent)});
}

/// Every index that two classes share is in their runs once, in order; all others are not.
void expect_right(const AxisDistribution& source, const AxisDistribution& destination,
                  const ClassSet& of_source, const ClassSet& of_destination) {
  const AxisRuns runs(source, destination, of_source, of_destination);
  for (int from = 0; from < classes_of(source); ++from) {
    for (int to = 0; to < classes_of(destination); ++to) {
      if (!of_source[static_cast<std::size_t>(from)] &&
          !of_destination[static_cast<std::size_t>(to)])
        continue;
      std::vector<Spot> expected_source, expected_destination;
      for (std::int64_t index = 0; index < extent_of(source); ++index) {
        const Spot at = spot_of(source, index), goes = spot_of(destination, index);
        if (at.index_class != from || goes.index_class != to) continue;
        expected_source.push_back(at);
        expected_destination.push_back(goes);
      }
      const bool listed = std::ranges::count(runs.destinations(from), to) == 1;
      ASSERT_EQ(listed, !expected_source.empty());
      ASSERT_EQ(std::ranges::count(runs.sources(to), from), listed ? 1 : 0);
      if (!listed) continue;
      const SharedIndices& shared = runs.shared(from, to);
      ASSERT_EQ(shared.extent(), static_cast<std::int64_t>(expected_source.size()));
      std::size_t next = 0;
      for (const AxisRun& run : shared.runs) {
        ASSERT_EQ(run.offset, static_cast<std::int64_t>(next));
        for (std::int64_t step = 0; step < run.extent; ++step, ++next) {
          ASSERT_EQ(run.source + step, expected_source[next].local);
          ASSERT_EQ(run.destination + step, expected_destination[next].local);
        }
      }
    }
  }
}

TEST(AxisRuns, are_what_classes_share) {
  CaseSource draw(3);
  for (int trial = 0; trial < 500; ++trial) {
    const std::int64_t extent = draw.between(0, 60);
    std::vector<std::int64_t> source_cuts, destination_cuts;
    const auto source = any_axis(draw, extent, source_cuts);
    const auto destination = any_axis(draw, extent, destination_cuts);
    const auto some = [&](const AxisDistribution& axis) {
      ClassSet set(static_cast<std::size_t>(classes_of(axis)));
      for (std::size_t one = 0; one < set.size(); ++one) set[one] = draw.between(0, 1) == 0;
      return set;
    };
    expect_right(source, destination, some(source), some(destination));
  }
}

TEST(AxisRuns, what_follows_on_both_sides_is_one_run) {
  const BlockCyclic<Row> cyclic(1000, 1, 4);
  const AxisRuns runs(cyclic, cyclic, {true, false, false, false}, ClassSet(4));
  const std::vector<AxisRun> whole{{0, 0, 250, 0}};
  EXPECT_EQ(runs.shared(0, 0).runs, whole);
}

}  // namespace axis_runs_test
}  // namespace cuboid::detail
