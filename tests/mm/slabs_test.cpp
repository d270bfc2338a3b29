#include <cuboid/mm/slabs.hpp>

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{0});
}

std::vector<SlabCut> cuts() {
  return {{1, 1}, {2, 1}, {3, 2}, {8, 3}};
}

std::vector<std::vector<std::int64_t>> owned_parts() {
  return {{0}, {7}, {5, 4, 0, 1}, {16, 16}};
}

/// Calls visit(slabs, parts, cut, own) for every rank of every line.
template <class Visit>
void on_every_line(const Visit& visit) {
  for (const SlabCut& cut : cuts()) {
    for (const auto& parts : owned_parts()) {
      for (std::size_t own = 0; own < parts.size(); ++own)
        visit(cut_slabs(parts, own, cut), parts, cut, own);
    }
  }
}

TEST(Slabs, CoverTheBlockOnceAndBeginWithWhatIsTheRanksOwn) {
  on_every_line([](const Slabs& slabs, const auto& parts, const SlabCut& cut, std::size_t own) {
    ASSERT_EQ(std::ssize(slabs.all), cut.count() + 1);
    std::vector<int> seen(static_cast<std::size_t>(sum(parts)));
    std::int64_t before = 0;
    for (const Slab& slab : slabs.all) {
      EXPECT_EQ(slab.begin, before);
      ASSERT_EQ(slab.ranges.size(), parts.size());
      std::int64_t extent = 0;
      for (std::size_t owner = 0; owner < parts.size(); ++owner) {
        const auto& range = slab.ranges[owner];
        extent += range.extent();
        if (&slab == &slabs.all.front()) {
          EXPECT_EQ(range.extent(), owner == own ? parts[own] : 0);
        }
        for (std::int64_t i = range.begin.value; i < range.end.value; ++i)
          ++seen[static_cast<std::size_t>(i)];
      }
      EXPECT_EQ(slab.extent, extent);
      before += extent;
    }
    EXPECT_EQ(std::ranges::count(seen, 1), std::ssize(seen));
  });
}

TEST(Slabs, TakeAnEqualPartOfEachOther) {
  on_every_line([](const Slabs& slabs, const auto& parts, const SlabCut& cut, std::size_t own) {
    for (std::size_t number = 1; number < slabs.all.size(); ++number) {
      const double units = number == 1 ? cut.first_units : 1;
      for (std::size_t owner = 0; owner < parts.size(); ++owner) {
        const double part = owner == own ? 0 : static_cast<double>(parts[owner]);
        EXPECT_NEAR(static_cast<double>(slabs.all[number].ranges[owner].extent()),
                    units * part / cut.units, 1);
      }
    }
  });
}

TEST(Slabs, WhatARankSendsIsWhatOthersTakeOfIt) {
  on_every_line([](const Slabs& slabs, const auto& parts, const SlabCut& cut, std::size_t own) {
    ASSERT_EQ(slabs.sent.size(), slabs.all.size());
    EXPECT_TRUE(slabs.sent.front().empty());
    const std::size_t other = (own + 1) % parts.size();
    if (other == own) return;
    const Slabs theirs = cut_slabs(parts, other, cut);
    for (std::size_t number = 1; number < slabs.all.size(); ++number)
      EXPECT_EQ(slabs.sent[number], theirs.all[number].ranges[own]);
  });
}

TEST(Slabs, AreSplitAtTheBordersOfARange) {
  const auto range = [](std::int64_t begin, std::int64_t end) {
    return LocalRange<Row>{Local<Row>(begin), Local<Row>(end)};
  };
  const Slab slab{{range(0, 4), range(10, 10), range(20, 26)}, 10, 0};
  EXPECT_EQ(runs_inside(slab, range(0, 30)), (std::vector{range(0, 4), range(20, 26)}));
  EXPECT_EQ(runs_inside(slab, range(3, 22)), (std::vector{range(3, 4), range(20, 22)}));
  EXPECT_TRUE(runs_inside(slab, range(4, 20)).empty());
}

TEST(Slabs, AreNeitherNarrowNorMany) {
  EXPECT_EQ(slab_cut(0, 100, 4, 4).units, 1);
  EXPECT_EQ(slab_cut(100, 10'000, 4, 4).units, 1);
  EXPECT_EQ(slab_cut(512, 600, 4, 4).units, 8);
  EXPECT_EQ(slab_cut(512, 600, 4, 4).count(), 7);
  EXPECT_EQ(slab_cut(100'000, 100'000, 4, 4).units, 16);
}

TEST(Slabs, OfOneOperandAloneFollowThatOne) {
  EXPECT_EQ(slab_cut(10, 1000, 1, 2).units, slab_cut(1000, 1000, 2, 2).units);
  EXPECT_EQ(slab_cut(1000, 1000, 1, 1).count(), 1);
}

/// When the last of C is summed, in units of the time that operands need, as much as its sums need:
/// once a border is there, all of C but what was complete before it is still to be summed.
double finished(SlabCut cut, int first_units) {
  cut.first_units = first_units;
  double latest = 1, complete = cut.own_rows * cut.own_columns;
  for (int come = first_units; come <= cut.units; ++come) {
    const double share = static_cast<double>(come) / cut.units;
    latest = std::max(latest, share + 1 - complete);
    complete = (cut.own_rows + (1 - cut.own_rows) * share) *
               (cut.own_columns + (1 - cut.own_columns) * share);
  }
  return latest;
}

TEST(Slabs, BeginWithTheLongestThatHoldsUpNothing) {
  for (const auto& [row_owners, column_owners] : {std::pair{4, 4}, {2, 3}, {1, 8}, {16, 1}}) {
    for (std::int64_t extent = 1; extent < 2000; ++extent) {
      const SlabCut cut = slab_cut(extent, extent, row_owners, column_owners);
      const double even = finished(cut, 1);
      EXPECT_LE(finished(cut, cut.first_units), even + 1e-12) << extent;
      if (cut.first_units < cut.units) {
        EXPECT_GT(finished(cut, cut.first_units + 1), even - 1e-12) << extent;
      }
      if (row_owners == 4) {
        EXPECT_LE(even, 10.0 / 9 + 1.0 / cut.units) << extent;
      }
    }
  }
}

}  // namespace
}  // namespace cuboid
