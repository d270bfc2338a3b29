#include <cuboid/mm/slabs.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace cuboid {
namespace {

TEST(Slabs, TakeAnEqualPartOfEveryPiece) {
  for (const SlabCut cut : {SlabCut{1, 1}, SlabCut{2, 1}, SlabCut{3, 2}, SlabCut{8, 3}}) {
    for (const std::vector<std::int64_t>& pieces :
         {std::vector<std::int64_t>{0}, {7}, {5, 4, 0, 1}, {16, 16}}) {
      const std::vector<Slab> slabs = cut_slabs(pieces, cut);
      ASSERT_EQ(std::ssize(slabs), cut.count());
      std::int64_t before = 0;
      std::vector<std::int64_t> begin{0};
      for (const std::int64_t piece : pieces) begin.push_back(begin.back() + piece);
      std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
      for (const Slab& slab : slabs) {
        EXPECT_EQ(slab.begin, before);
        const double units = slab.begin == 0 && &slab == slabs.data() ? cut.first_units : 1;
        std::int64_t extent = 0;
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
          const auto& range = slab.ranges[piece];
          EXPECT_EQ(range.begin.value, next[piece]);
          EXPECT_NEAR(static_cast<double>(range.extent()),
                      units * static_cast<double>(pieces[piece]) / cut.units, 1);
          next[piece] = range.end.value;
          extent += range.extent();
        }
        EXPECT_EQ(slab.extent, extent);
        before += extent;
      }
      for (std::size_t piece = 0; piece < pieces.size(); ++piece)
        EXPECT_EQ(next[piece], begin[piece + 1]);
    }
  }
}

TEST(Slabs, AreNeitherNarrowNorMany) {
  EXPECT_EQ(slab_cut(0, 100).units, 1);
  EXPECT_EQ(slab_cut(100, 10'000).units, 1);
  EXPECT_EQ(slab_cut(512, 600).units, 8);
  EXPECT_EQ(slab_cut(512, 600).count(), 6);
  EXPECT_EQ(slab_cut(100'000, 100'000).units, 16);
}

/// When the last of C is summed, in units of the time that operands need, as much as its sums need:
/// once a border is there, all of C but what was complete before it is still to be summed.
double finished(const SlabCut& cut, int first_units) {
  const double all = cut.units;
  double latest = first_units / all + 1;
  for (int units = first_units + 1; units <= cut.units; ++units) {
    const double before = (units - 1) / all;
    latest = std::max(latest, units / all + 1 - before * before);
  }
  return latest;
}

TEST(Slabs, BeginWithTheLongestThatHoldsUpNothing) {
  for (std::int64_t extent = 1; extent < 2000; ++extent) {
    const SlabCut cut = slab_cut(extent, extent);
    const double even = finished(cut, 1);
    EXPECT_LE(finished(cut, cut.first_units), even) << extent;
    if (cut.units > 1) {
      EXPECT_GT(finished(cut, cut.first_units + 1), even) << extent;
      EXPECT_LE(even, 1.25 + 1.0 / cut.units + 1e-12) << extent;
    }
  }
}

}  // namespace
}  // namespace cuboid
