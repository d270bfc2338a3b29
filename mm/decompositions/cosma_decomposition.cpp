#include "mm/decompositions/cosma_decomposition.hpp"

#include <cuboid/error.hpp>

#include "mm/decompositions/brick_fit.hpp"
#include "mm/decompositions/carma_decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

std::vector<int> divisors(int number) {
  std::vector<int> result;
  for (int low = 1; std::int64_t{low} * low <= number; ++low) {
    if (number % low != 0) continue;
    result.push_back(low);
    if (low != number / low) result.push_back(number / low);
  }
  return result;
}

/// Calls visit(parts) for every grid that keeps enough of the ranks busy.
template <class Visit>
void for_each_grid(int ranks, const CosmaLimits& limits, const Visit& visit) {
  if (limits.grid) {
    visit(*limits.grid);
    return;
  }
  // Among this number of rank counts at least one has good grids, and trying all of them takes
  // little time.
  constexpr int most_idle = 1024;
  const int fewest = std::max(static_cast<int>(std::ceil(ranks * (1 - limits.idle_share) - 1e-9)),
                              ranks - most_idle);
  for (int used = ranks; used >= std::max(fewest, 1); --used) {
    for (const int rows : divisors(used)) {
      for (const int columns : divisors(used / rows)) {
        visit(BrickParts{rows, columns, used / rows / columns});
      }
    }
  }
}

void check(const ProductSize& size, int ranks, const CosmaLimits& limits) {
  const auto reject = [](const std::string& message) {
    throw Error(ErrorCode::invalid_argument, "COSMA: " + message);
  };
  if (ranks < 1) reject(fmt::format("{} ranks: give at least 1", ranks));
  if (size.m < 0 || size.n < 0 || size.k < 0) reject("a negative extent: give 0 or more");
  if (limits.rounds && *limits.rounds < 1) {
    reject(fmt::format("{} rounds: give at least 1", *limits.rounds));
  }
  if (!(limits.idle_share >= 0 && limits.idle_share < 1))
    reject(
        fmt::format("a share of {} of idle ranks: give 0 or more, less than 1", limits.idle_share));
  if (!limits.grid) return;
  const auto [rows, columns, layers] = *limits.grid;
  if (rows < 1 || columns < 1 || layers < 1) {
    reject(fmt::format("a {}x{}x{} grid: give at least 1 of each", rows, columns, layers));
  }
  if (double{1} * rows * columns * layers > ranks) {
    reject(
        fmt::format("a {}x{}x{} grid needs {:.0f} ranks, there are {}: give a smaller grid or "
                    "more ranks",
                    rows, columns, layers, double{1} * rows * columns * layers, ranks));
  }
}

/// The splits of a grid. The lines of ranks with the most words come last, which makes their ranks
/// neighbours.
std::vector<Split> ordered_splits(const LargestBrick& brick, const BrickParts& parts) {
  const auto of = brick.most_words();
  struct Fibre {
    Split split;
    double words;
  };
  std::vector<Fibre> fibres{{{WorkAxis::columns, parts[1]}, of[0]},
                            {{WorkAxis::rows, parts[0]}, of[1]},
                            {{WorkAxis::inner, parts[2]}, of[2]}};
  std::stable_sort(fibres.begin(), fibres.end(),
                   [](const Fibre& left, const Fibre& right) { return left.words < right.words; });
  std::vector<Split> splits;
  for (const Fibre& fibre : fibres) {
    if (fibre.split.parts > 1) splits.push_back(fibre.split);
  }
  return splits;
}

BrickParts parts_of(const BrickGrid& grid) {
  return {grid.parts(WorkAxis::rows), grid.parts(WorkAxis::columns), grid.parts(WorkAxis::inner)};
}

/// The parts of a grid, and the tiles in which its bricks fit.
struct TiledParts {
  BrickParts parts{1, 1, 1};
  BrickSteps tiles;
};

/// A grid, and the tiles in which its bricks fit.
struct TiledGrid {
  BrickGrid grid;
  BrickSteps tiles;
};

/// The grid of these parts. Layers sum C in one step, or in steps of prime factors if that saves
/// over a percent of the words: where many layers share a small face, each of them receives a
/// piece, rounded up to whole elements, from all others, but in each step from few.
BrickGrid with_sums_of_fewest_words(const ProductSize& size, const TiledParts& one) {
  constexpr double worth_steps = 1.01;
  const BrickGrid at_once(size, ordered_splits(LargestBrick(size, one.parts), one.parts));
  if (one.parts[2] == 1) return at_once;
  const BrickGrid in_steps = in_prime_splits(at_once, WorkAxis::inner);
  const auto words = [&](const BrickGrid& grid) { return grid.busiest(one.tiles).words_received; };
  return words(at_once) > worth_steps * words(in_steps) ? in_steps : at_once;
}

/// The grid whose busiest rank receives the fewest words, as the aim counts them. Of equally good
/// grids it is the grid with the most ranks, then the one with the fewest layers, because nothing
/// overlaps with their sums of C.
TiledGrid of_fewest_words(const ProductSize& size, const std::vector<TiledParts>& grids,
                          CosmaAim aim) {
  const auto burden_of = [&](double words, const BrickParts& parts) {
    return aim == CosmaAim::balance ? words / (double{1} * parts[0] * parts[1] * parts[2]) : words;
  };
  std::vector<std::pair<double, TiledParts>> by_least;
  for (const TiledParts& one : grids) {
    const double words = LargestBrick(size, one.parts).least_words(one.tiles);
    by_least.emplace_back(burden_of(words, one.parts), one);
  }
  std::ranges::stable_sort(by_least, {}, &std::pair<double, TiledParts>::first);
  using Burden = std::array<double, 3>;
  std::optional<Burden> lightest;
  TiledGrid best;
  for (const auto& [least, one] : by_least) {
    if (lightest && least > lightest->front()) break;
    const BrickGrid grid = with_sums_of_fewest_words(size, one);
    const Burden burden{burden_of(grid.busiest(one.tiles).words_received, one.parts),
                        -static_cast<double>(grid.ranks()), static_cast<double>(one.parts[2])};
    if (!lightest || burden < *lightest) {
      lightest = burden;
      best = {grid, one.tiles};
    }
  }
  return best;
}

}  // namespace

LocalDomain optimal_domain(const ProductSize& size, double ranks, double memory) {
  const double work = static_cast<double>(size.m) * static_cast<double>(size.n) *
                      static_cast<double>(size.k) / ranks;
  const double side = std::cbrt(work);
  return {std::min(std::sqrt(memory), side), std::max(work / memory, side)};
}

std::int64_t fewest_rounds(const LocalDomain& domain, double memory) {
  const double most = std::max(std::ceil(domain.b), 1.0);
  const double left = memory - domain.a * domain.a;
  const double rounds = left > 0 ? std::ceil(2 * domain.a * domain.b / left) : most;
  return static_cast<std::int64_t>(std::clamp(rounds, 1.0, most));
}

double least_memory_for_cosma(const ProductSize& size, int ranks, const CosmaLimits& limits) {
  check(size, ranks, limits);
  double least = std::numeric_limits<double>::infinity();
  for_each_grid(ranks, limits, [&](const BrickParts& parts) {
    least = std::min(least, LargestBrick(size, parts).least_memory(limits.rounds));
  });
  return std::ceil(least);
}

double brick_memory(const BrickGrid& grid, const BrickSteps& steps) {
  return LargestBrick(grid.size(), parts_of(grid)).memory(steps);
}

CosmaDecomposition decompose_for_cosma(const ProductSize& size, int ranks,
                                       const CosmaLimits& limits) {
  check(size, ranks, limits);
  const double memory =
      limits.memory ? static_cast<double>(*limits.memory) : std::numeric_limits<double>::infinity();
  // Bricks may be larger by the share of idle ranks. If small extents cannot be cut that evenly,
  // bricks may be as large as the smallest bricks of all grids.
  double smallest_work = std::numeric_limits<double>::infinity();
  for_each_grid(ranks, limits, [&](const BrickParts& parts) {
    const LargestBrick brick(size, parts);
    if (brick.least_memory(limits.rounds) <= memory)
      smallest_work = std::min(smallest_work, brick.work());
  });
  if (std::isinf(smallest_work)) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("COSMA: {} x {} x {} on {} ranks does not fit into {:.0f} words per "
                            "rank: allow {:.0f} words, or use more ranks",
                            size.m, size.n, size.k, ranks, memory,
                            least_memory_for_cosma(size, ranks, limits)));
  }
  const double even_work = static_cast<double>(size.m) * static_cast<double>(size.n) *
                           static_cast<double>(size.k) / ranks;
  const double most_work = limits.aim == CosmaAim::balance
                               ? std::max(smallest_work, even_work / (1 - limits.idle_share))
                               : std::numeric_limits<double>::infinity();

  std::vector<TiledParts> allowed;
  for_each_grid(ranks, limits, [&](const BrickParts& parts) {
    const LargestBrick brick(size, parts);
    if (brick.work() <= most_work && brick.least_memory(limits.rounds) <= memory)
      allowed.push_back({parts, brick.tiles_that_fit(limits.rounds, memory)});
  });
  const auto [best, tiles] = of_fewest_words(size, allowed, limits.aim);

  const LargestBrick brick(size, parts_of(best));
  BrickSteps steps = tiles;
  steps.rounds = limits.rounds ? *limits.rounds : brick.rounds_that_fit(tiles, memory);
  return {optimal_domain(size, ranks, memory), best, steps, brick.memory(steps)};
}

}  // namespace cuboid::detail
