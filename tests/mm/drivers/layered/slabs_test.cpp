#include "mm/decompositions/slabs.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace slabs_test {

std::vector<std::vector<double>> shares() {
  return {{1}, {0.5, 1}, {0.1, 0.4, 0.4, 1}, {0, 0.7, 1, 1}};
}

std::vector<OwnedVectors> lines() {
  return {{{0, 0}}, {{7, 3}}, {{5, 1}, {4, 0}, {0, 2}, {1, 9}}, {{16, 16}, {16, 16}}};
}

/// Calls visit(slabs, owned, own, pieces, come) for every rank of every line.
template <class Visit>
void on_every_line(const Visit& visit) {
  for (const auto& come : shares()) {
    for (const OwnedVectors& owned : lines()) {
      for (const std::vector<std::size_t>& pieces :
           {std::vector<std::size_t>{0}, {1}, {0, 1}, {1, 0}}) {
        for (std::size_t own = 0; own < owned.size(); ++own)
          visit(cut_slabs(owned, own, pieces, come), owned, own, pieces, come);
      }
    }
  }
}

TEST(Slabs, CoverThePiecesOnceAndBeginWithWhatIsTheRanksOwn) {
  on_every_line([](const Slabs& slabs, const auto& owned, std::size_t own, const auto& pieces,
                   const auto& come) {
    ASSERT_EQ(slabs.all.size(), come.size() + 1);
    std::int64_t before = 0;
    OwnedVectors seen(owned.size(), {0, 0});
    for (std::size_t number = 0; number < slabs.all.size(); ++number) {
      const Slab& slab = slabs.all[number];
      EXPECT_EQ(slab.begin, before);
      std::int64_t extent = 0;
      for (const VectorRun& run : slab.runs) {
        EXPECT_EQ(run.owner == own, number == 0);
        // What a slab has of an owner's piece follows what the ones before have.
        EXPECT_EQ(run.begin, seen[run.owner][run.piece]);
        seen[run.owner][run.piece] += run.extent;
        extent += run.extent;
      }
      EXPECT_EQ(slab.extent, extent);
      before += extent;
    }
    for (std::size_t owner = 0; owner < owned.size(); ++owner) {
      for (std::size_t piece = 0; piece < 2; ++piece) {
        const bool cut = std::ranges::count(pieces, piece) == 1;
        EXPECT_EQ(seen[owner][piece], cut ? owned[owner][piece] : 0);
      }
    }
  });
}

TEST(Slabs, TakeOfEachOtherWhatHasCome) {
  on_every_line([](const Slabs& slabs, const auto& owned, std::size_t own, const auto& pieces,
                   const auto& come) {
    for (std::size_t number = 1; number < slabs.all.size(); ++number) {
      const double share = come[number - 1] - (number > 1 ? come[number - 2] : 0);
      for (const std::size_t piece : pieces) {
        std::int64_t of_others = 0;
        for (std::size_t owner = 0; owner < owned.size(); ++owner)
          of_others += owner == own ? 0 : owned[owner][piece];
        EXPECT_NEAR(static_cast<double>(extent_of_piece(slabs.all[number], piece)),
                    share * static_cast<double>(of_others), static_cast<double>(owned.size()));
      }
    }
  });
}

/// A slab's vectors, one by one.
void append_vectors(const Slab& slab, std::vector<VectorRun>& vectors) {
  for (const VectorRun& run : slab.runs) {
    for (std::int64_t i = 0; i < run.extent; ++i)
      vectors.push_back({run.owner, run.piece, run.begin + i, 1});
  }
}

TEST(Slabs, WhatARankSendsIsWhatOthersTakeOfIt) {
  on_every_line([](const Slabs& slabs, const auto& owned, std::size_t own, const auto& pieces,
                   const auto& come) {
    ASSERT_EQ(slabs.sent.size(), slabs.all.size());
    EXPECT_EQ(slabs.sent.front().extent, 0);
    std::vector<VectorRun> first;
    for (const Slab& sent : slabs.sent) {
      // It lies there in that order.
      if (sent.extent > 0) {
        EXPECT_EQ(sent.begin, std::ssize(first));
      }
      append_vectors(sent, first);
    }
    std::vector<VectorRun> lies;
    append_vectors(slabs.all.front(), lies);
    EXPECT_EQ(first, lies);
    const std::size_t other = (own + 1) % owned.size();
    if (other == own) return;
    const Slabs theirs = cut_slabs(owned, other, pieces, come);
    for (std::size_t number = 1; number < slabs.all.size(); ++number) {
      std::vector<VectorRun> taken;
      std::ranges::copy_if(theirs.all[number].runs, std::back_inserter(taken),
                           [&](const VectorRun& run) { return run.owner == own; });
      EXPECT_EQ(slabs.sent[number].runs, taken);
    }
  });
}

std::vector<LayeredGrid> grids() {
  std::vector<LayeredGrid> result;
  for (const int rows : {1, 2, 4, 7}) {
    for (const int columns : {1, 3, 4, 16}) {
      for (const int layers : {1, 2, 3, 4, 8}) result.emplace_back(rows, columns, layers);
    }
  }
  return result;
}

/// Calls visit(cut, size, grid) for many products and grids.
template <class Visit>
void on_every_cut(const Visit& visit) {
  for (const LayeredGrid& grid : grids()) {
    for (const std::int64_t m : {0, 1, 100, 700, 2048, 50'000}) {
      for (const std::int64_t n : {0, 3, 500, 2048, 100'000}) {
        const ProductSize size{m, n, 64};
        visit(slab_cut(size, grid), size, grid);
      }
    }
  }
}

TEST(SlabCut, AscendsToAllAndTakesKeptColumnsLast) {
  on_every_cut([](const SlabCut& cut, const ProductSize&, const LayeredGrid& grid) {
    SlabShares before;
    for (const SlabShares& come : cut.steps) {
      EXPECT_GE(come.rows, before.rows);
      EXPECT_GE(come.given, before.given);
      EXPECT_GE(come.kept, before.kept);
      EXPECT_LE(come.rows, 1);
      EXPECT_LE(come.given, 1);
      if (come.kept > 0 && grid.layers() > 1 && cut.count() > 1) {
        EXPECT_EQ(before.given, 1);
      }
      before = come;
    }
    EXPECT_EQ(before, (SlabShares{1, 1, 1}));
  });
}

/// Rows and columns that come to a rank from others.
double rows_of_others(const SlabCut& cut, const ProductSize& size, const LayeredGrid& grid) {
  return static_cast<double>(size.m / grid.rows()) * (1 - cut.own_rows);
}
double columns_of_others(const SlabCut& cut, const ProductSize& size, const LayeredGrid& grid) {
  return static_cast<double>(size.n / grid.columns()) * (1 - cut.own_columns);
}

TEST(SlabCut, LoadsTheLinksOfBothOperandsAlike) {
  on_every_cut([](const SlabCut& cut, const ProductSize& size, const LayeredGrid& grid) {
    if (cut.own_rows == 1 || cut.own_columns == 1) return;
    // But for a sliver of columns, which does not come alone.
    const double sliver =
        20 / std::min(rows_of_others(cut, size, grid), columns_of_others(cut, size, grid)) + 1e-9;
    for (const SlabShares& come : cut.steps) {
      const double columns = cut.given * come.given + (1 - cut.given) * come.kept;
      // Kept columns wait for the next slab.
      EXPECT_LE(columns, come.rows + sliver);
      if (come.kept == 0) {
        EXPECT_NEAR(columns, std::min(come.rows, cut.given), sliver);
      }
    }
  });
}

TEST(SlabCut, IsNeitherNarrowNorMany) {
  on_every_cut([](const SlabCut& cut, const ProductSize& size, const LayeredGrid& grid) {
    EXPECT_LE(cut.count(), 17);
    if (cut.count() < 3) return;
    const double rows = rows_of_others(cut, size, grid);
    const double given = columns_of_others(cut, size, grid) * cut.given;
    SlabShares before;
    for (const SlabShares& come : cut.steps) {
      if (cut.own_rows < 1 && before.rows < 1) {
        EXPECT_GE((come.rows - before.rows) * rows, 40 - 1e-6);
      }
      if (given > 0 && before.given < 1) {
        EXPECT_GE((come.given - before.given) * given, 20 - 1e-6);
      }
      before = come;
    }
  });
  EXPECT_EQ(slab_cut({2048, 2048, 2048}, LayeredGrid(4, 4, 4)).count(), 7);
  EXPECT_EQ(slab_cut({100'000, 100'000, 1}, LayeredGrid(1, 1, 4)).count(), 1);
}

/// When the last of C is summed, in units of the time that operands need, as much as its sums need:
/// once a border is there, all that is given but what was complete before it is still to be given.
/// Nothing is complete before the first.
double finished(const SlabCut& cut) {
  double latest = 1, complete = 0;
  for (const SlabShares& come : cut.steps) {
    if (complete == 1) break;
    latest = std::max(latest, cut.arrival(come) + 1 - complete);
    complete = cut.complete(come);
  }
  return latest;
}

TEST(SlabCut, FinishesAsSoonAsItsNumberOfSlabsCan) {
  on_every_cut([](const SlabCut& cut, const ProductSize&, const LayeredGrid& grid) {
    if (grid.layers() == 1 || cut.count() < 3) return;
    // A sliver of columns that comes earlier than it would alone holds up a slab.
    if (std::ranges::any_of(cut.steps, [&](const SlabShares& come) {
          return come.given == 1 && come.rows < cut.given;
        })) {
      return;
    }
    const double end = finished(cut);
    for (std::size_t slab = 0; slab + 1 < cut.steps.size(); ++slab) {
      if (cut.steps[slab].rows == 1) break;
      for (const double other : {-0.01, -0.001, 0.001, 0.01}) {
        SlabCut moved = cut;
        SlabShares& come = moved.steps[slab];
        come.rows += other;
        come.given = std::min(1.0, come.rows / moved.given);
        EXPECT_GE(finished(moved), end - 1e-9);
      }
    }
  });
}

TEST(SlabCut, OfManySlabsHardlyWaitsForTheLast) {
  EXPECT_LT(finished(slab_cut({2048, 2048, 2048}, LayeredGrid(4, 4, 4))), 1.16);
  EXPECT_LT(finished(slab_cut({50'000, 50'000, 2048}, LayeredGrid(4, 4, 4))), 1.09);
}

}  // namespace slabs_test
}  // namespace cuboid::detail
