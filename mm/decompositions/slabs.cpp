#include "mm/decompositions/slabs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cuboid::detail {

namespace {

/// The shares that have arrived after each slab. The shares of rows and of columns grow together.
/// Given columns come first; if the rest of them is narrower than `least`, it comes with the slab
/// before. Kept columns have slabs of their own, at least one.
std::vector<SlabShares> in_order(const std::vector<double>& come, double given, double least) {
  std::vector<SlabShares> steps;
  double given_until = 0;
  for (const double share : come) {
    const double before = steps.empty() ? 0 : steps.back().given;
    if (given > 0 && before < 1) given_until = share;
    const double of_given = given - share < least ? 1 : share / given;
    steps.push_back(
        {share, of_given, share > given_until ? (share - given_until) / (1 - given_until) : 0});
  }
  if (steps.back().kept == 0) steps.push_back({1, 1, 1});
  return steps;
}

/// The share that has arrived after the longest possible next slab with which all work can still be
/// finished at `end`.
double longest_slab(const SlabCut& lines, double before, double end) {
  const double complete =
      before > 0 ? lines.complete({before, std::min(1.0, before / lines.given)}) : 0;
  return std::min(1.0, end - 1 + complete);
}

/// True if `count` slabs suffice to finish at `end`.
bool are_enough(const SlabCut& lines, int count, double end, double all) {
  double share = 0;
  for (int number = 0; number < count; ++number) {
    const double next = longest_slab(lines, share, end);
    if (next >= all) return true;
    if (next <= share) return false;  // further slabs do not help either
    share = next;
  }
  return false;
}

/// The share of operands that has arrived when all given parts of C are complete: the given
/// columns, if rows do not travel.
double share_of_given(const SlabCut& lines) {
  return lines.own_rows < 1 || lines.given == 0 ? 1 : lines.given;
}

/// `count` slabs with the earliest end.
std::vector<double> earliest_slabs(const SlabCut& lines, int count) {
  const double all = share_of_given(lines);
  std::vector<double> come;
  if (lines.given == 0) {
    for (int number = 1; number <= count; ++number)
      come.push_back(static_cast<double>(number) / count);
    return come;
  }
  double too_early = 1, end = 2;
  constexpr int bisections = 24;  // less than one of 2^24 vectors
  for (int i = 0; i < bisections; ++i) {
    const double middle = (too_early + end) / 2;
    (are_enough(lines, count, middle, all) ? end : too_early) = middle;
  }
  for (int number = 0; number < count; ++number)
    come.push_back(longest_slab(lines, come.empty() ? 0 : come.back(), end));
  come.back() = all;
  return come;
}

double shortest(const std::vector<double>& come) {
  double before = 0, least = 1;
  for (const double share : come) {
    least = std::min(least, share - before);
    before = share;
  }
  return least;
}

void append(Slab& slab, const VectorRun& run) {
  slab.extent += run.extent;
  if (!slab.runs.empty()) {
    VectorRun& last = slab.runs.back();
    if (last.owner == run.owner && last.piece == run.piece &&
        last.begin + last.extent == run.begin) {
      last.extent += run.extent;
      return;
    }
  }
  slab.runs.push_back(run);
}

/// The number of vectors that have arrived with all slabs before `slab`.
std::int64_t come_of(std::int64_t extent, std::span<const double> come, std::size_t slab) {
  return slab == 0 ? 0 : std::llround(static_cast<double>(extent) * come[slab - 1]);
}

}  // namespace

SlabCut slab_cut(const ProductSize& size, const LayeredGrid& grid) {
  constexpr double narrowest = 40;
  constexpr int most = 16;
  SlabCut cut{.own_rows = 1.0 / grid.columns(),
              .own_columns = 1.0 / grid.rows(),
              .given = 1 - 1.0 / grid.layers()};
  if (grid.rows() * grid.columns() == 1) return cut;
  double extent = std::numeric_limits<double>::infinity();
  const auto count_in = [&](std::int64_t vectors, int parts, double own) {
    if (own < 1) extent = std::min(extent, static_cast<double>(vectors / parts) * (1 - own));
  };
  count_in(size.m, grid.rows(), cut.own_rows);
  count_in(size.n, grid.columns(), cut.own_columns);
  std::vector<double> come{share_of_given(cut)};
  // More slabs are narrower.
  for (int fewest = 2, still = most; fewest <= still;) {
    const int count = (fewest + still) / 2;
    auto more = earliest_slabs(cut, count);
    if (shortest(more) * extent < narrowest) {
      still = count - 1;
    } else {
      come = std::move(more);
      fewest = count + 1;
    }
  }
  cut.steps = in_order(come, cut.given, narrowest / 2 / extent);
  return cut;
}

Slabs cut_slabs(const OwnedVectors& owned, std::size_t own, std::span<const std::size_t> pieces,
                std::span<const double> come) {
  Slabs slabs;
  slabs.all.resize(come.size() + 1);
  slabs.sent.resize(come.size() + 1);
  const auto add = [&](Slab& slab, std::size_t owner, std::size_t number) {
    for (const std::size_t piece : pieces) {
      const std::int64_t extent = owned[owner][piece];
      const std::int64_t begin = come_of(extent, come, number - 1);
      const std::int64_t end = come_of(extent, come, number);
      if (begin < end) append(slab, {owner, piece, begin, end - begin});
    }
  };
  Slab& first = slabs.all.front();
  for (std::size_t number = 1; number <= come.size(); ++number) {
    slabs.sent[number].begin = first.extent;
    add(slabs.sent[number], own, number);
    add(first, own, number);
    for (std::size_t owner = 0; owner < owned.size(); ++owner) {
      if (owner != own) add(slabs.all[number], owner, number);
    }
  }
  std::int64_t before = 0;
  for (Slab& slab : slabs.all) {
    slab.begin = before;
    before += slab.extent;
  }
  return slabs;
}

std::int64_t extent_of_piece(const Slab& slab, std::size_t piece) {
  std::int64_t extent = 0;
  for (const VectorRun& run : slab.runs) extent += run.piece == piece ? run.extent : 0;
  return extent;
}

}  // namespace cuboid::detail
